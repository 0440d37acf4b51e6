-- Add the labels of the batch, and name the requests that they, or earlier ones, are about.
INSERT INTO judgements BY NAME
SELECT *, $batch AS batch, count(*) AS lines FROM new_judgements GROUP BY ALL;

INSERT INTO labelled_requests SELECT request_id FROM new_judgements;

INSERT INTO labelled_requests
SELECT request_id
FROM judgements
WHERE request_id IN (SELECT request_id FROM memberships WHERE batch = $batch)
