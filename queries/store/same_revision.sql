-- How many requests of a batch are told otherwise elsewhere at the same revision, and of how many the other telling counts.
WITH every AS (
    SELECT request_id, record_hash, revision, true AS counts FROM requests
    UNION ALL
    SELECT request_id, record_hash, revision, false AS counts FROM versions
),

brought AS (
    SELECT DISTINCT every.*
    FROM memberships
    INNER JOIN every USING (request_id, record_hash)
    WHERE memberships.batch = $batch
)

SELECT
    count(DISTINCT brought.request_id) AS requests,
    count(DISTINCT brought.request_id) FILTER (other.counts) AS others
FROM brought
INNER JOIN every AS other ON
    brought.request_id = other.request_id
    AND brought.revision = other.revision
    AND brought.record_hash <> other.record_hash
