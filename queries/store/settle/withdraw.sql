-- Take the contested requests out of the facts and put their records among the versions.
--
-- A version keeps what was logged; labels are settled anew for whichever record counts.
INSERT INTO touched_days
SELECT DISTINCT day FROM requests WHERE request_id IN (SELECT request_id FROM contested_requests);

INSERT INTO versions
WITH record AS (
    SELECT * REPLACE (
        CAST(NULL AS BOOLEAN) AS correct,
        CAST(NULL AS INTEGER) AS expected,
        CAST(NULL AS VARCHAR) AS expected_outcome,
        CAST(NULL AS VARCHAR) AS expected_place
    )
    FROM requests
    WHERE request_id IN (SELECT request_id FROM contested_requests)
),

chunk AS (
    SELECT * REPLACE (CAST(NULL AS BOOLEAN) AS expected)
    FROM chunks
    WHERE request_id IN (SELECT request_id FROM contested_requests)
),

listed AS (
    SELECT request_id, record_hash, list(chunk) AS chunks
    FROM chunk
    GROUP BY request_id, record_hash
)

SELECT record.request_id, record.revision, record.record_hash, record AS request, coalesce(chunks, []) AS chunks
FROM record
LEFT JOIN listed USING (request_id, record_hash);

DELETE FROM chunk_facts WHERE request_id IN (SELECT request_id FROM contested_requests);
DELETE FROM requests WHERE request_id IN (SELECT request_id FROM contested_requests)
