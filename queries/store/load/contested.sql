-- Find the requests of the batch that several records are about.
INSERT INTO contested_requests
SELECT request_id
FROM memberships
WHERE request_id IN (SELECT request_id FROM memberships WHERE batch = $batch)
GROUP BY request_id
HAVING count(DISTINCT record_hash) > 1;

INSERT INTO labelled_requests FROM contested_requests
