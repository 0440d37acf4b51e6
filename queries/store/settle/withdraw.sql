-- Take the contested requests out of the facts and put their records among the versions.
INSERT INTO touched_days
SELECT DISTINCT day FROM requests WHERE request_id IN (SELECT request_id FROM contested_requests);

-- A version keeps what was logged; labels are settled anew for whichever record counts.
UPDATE requests
SET correct = NULL, expected = NULL, expected_outcome = NULL, expected_place = NULL
WHERE request_id IN (SELECT request_id FROM contested_requests);

UPDATE chunks SET expected = NULL WHERE request_id IN (SELECT request_id FROM contested_requests);

-- DISTINCT: a record that stands on two lines of one file is there twice.
INSERT INTO versions
WITH record AS (
    SELECT DISTINCT * FROM requests WHERE request_id IN (SELECT request_id FROM contested_requests)
),

chunk AS (
    SELECT DISTINCT * FROM chunks WHERE request_id IN (SELECT request_id FROM contested_requests)
),

listed AS (
    SELECT request_id, record_hash, list(chunk ORDER BY retrieval_id, chunk_id) AS chunks
    FROM chunk
    GROUP BY request_id, record_hash
)

SELECT record.request_id, record.revision, record.record_hash, record AS request, coalesce(chunks, []) AS chunks
FROM record
LEFT JOIN listed USING (request_id, record_hash)
WHERE (record.request_id, record.record_hash) NOT IN (SELECT (request_id, record_hash) FROM versions);

DELETE FROM chunks WHERE request_id IN (SELECT request_id FROM contested_requests);
DELETE FROM requests WHERE request_id IN (SELECT request_id FROM contested_requests)
