-- Find the requests of the batch of which several different records are held.
CREATE OR REPLACE TEMP TABLE contested_requests AS
SELECT request_id
FROM memberships
WHERE request_id IN (SELECT request_id FROM staged_requests)
GROUP BY request_id
HAVING count(DISTINCT record_hash) > 1
