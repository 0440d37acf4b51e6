-- Find the requests of the batch that several records, or several of its lines, are about.
INSERT INTO contested_requests
SELECT request_id
FROM memberships
WHERE request_id IN (SELECT request_id FROM memberships WHERE batch = $batch)
GROUP BY request_id
HAVING count(DISTINCT record_hash) > 1 OR count(*) FILTER (batch = $batch) > 1;

CREATE OR REPLACE TEMP TABLE carried AS
SELECT request_id, record_hash, batch, min(line) AS line, count(*) AS lines
FROM memberships
WHERE batch = $batch AND request_id IN (SELECT request_id FROM contested_requests)
GROUP BY request_id, record_hash, batch;

DELETE FROM memberships
WHERE batch = $batch AND request_id IN (SELECT request_id FROM contested_requests);

INSERT INTO memberships FROM carried;
INSERT INTO labelled_requests FROM contested_requests
