-- Of each contested request choose the record that counts, and put the others among the versions.
--
-- The highest revision counts, then the smallest record hash: the winner depends on content alone.
-- What no batch carries any more cannot win, and goes for good.
-- A version keeps what was logged; labels are settled anew for whichever record counts.
INSERT INTO touched_days
SELECT DISTINCT day FROM requests WHERE request_id IN (SELECT request_id FROM contested_requests);

CREATE OR REPLACE TEMP TABLE carried_records AS
SELECT DISTINCT request_id, record_hash
FROM memberships
WHERE request_id IN (SELECT request_id FROM contested_requests);

CREATE OR REPLACE TEMP TABLE chosen AS
SELECT request_id, record_hash
FROM (
    SELECT request_id, record_hash, revision FROM requests
    UNION ALL
    SELECT request_id, record_hash, revision FROM versions
)
SEMI JOIN carried_records USING (request_id, record_hash)
QUALIFY row_number() OVER (PARTITION BY request_id ORDER BY revision DESC, record_hash) = 1;

CREATE OR REPLACE TEMP TABLE leaving AS
SELECT request_id, record_hash
FROM requests
ANTI JOIN chosen USING (request_id, record_hash)
WHERE request_id IN (SELECT request_id FROM contested_requests);

INSERT INTO versions
WITH record AS (
    SELECT * REPLACE (
        CAST(NULL AS BOOLEAN) AS correct,
        CAST(NULL AS INTEGER) AS expected,
        CAST(NULL AS VARCHAR) AS expected_outcome,
        CAST(NULL AS VARCHAR) AS expected_place
    )
    FROM requests
    SEMI JOIN leaving USING (request_id, record_hash)
    SEMI JOIN carried_records USING (request_id, record_hash)
),

chunk AS (
    SELECT * REPLACE (CAST(NULL AS BOOLEAN) AS expected)
    FROM chunks
    SEMI JOIN leaving USING (request_id, record_hash)
),

listed AS (
    SELECT request_id, record_hash, list(chunk) AS chunks
    FROM chunk
    GROUP BY request_id, record_hash
)

SELECT record.request_id, record.revision, record.record_hash, record AS request, coalesce(chunks, []) AS chunks
FROM record
LEFT JOIN listed USING (request_id, record_hash);

DELETE FROM chunk_facts USING leaving
WHERE chunk_facts.request_id = leaving.request_id AND chunk_facts.record_hash = leaving.record_hash;

DELETE FROM requests USING leaving
WHERE requests.request_id = leaving.request_id AND requests.record_hash = leaving.record_hash
