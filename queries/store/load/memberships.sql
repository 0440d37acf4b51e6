-- Write down which records the batch carries, on which line first and on how many.
INSERT INTO memberships
SELECT request_id, record_hash, $batch AS batch, min(line) AS line, count(*) AS lines
FROM staged_requests
GROUP BY request_id, record_hash
