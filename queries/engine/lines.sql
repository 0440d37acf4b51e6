-- Every line that tells a request: how often the same was told before it, and in which place it stands.
--
-- The highest revision counts (version 1), then the smallest record hash; of lines that tell the same
-- the one of the smallest batch (telling 1).
SELECT
    told.request_id,
    told.record_hash,
    told.day,
    told.batch,
    told.file,
    told.line,
    row_number() OVER (
        PARTITION BY told.request_id, told.record_hash
        ORDER BY told.batch, told.line
    ) AS telling,
    dense_rank() OVER (
        PARTITION BY told.request_id
        ORDER BY told.revision DESC, told.record_hash
    ) AS version
FROM (
    SELECT
        request.request_id AS request_id,
        request.revision AS revision,
        request.record_hash AS record_hash,
        request.day AS day,
        request.batch AS batch,
        request.file AS file,
        request.line AS line
    FROM parsed
    WHERE request IS NOT NULL
) AS told
INNER JOIN files ON told.file = files.name
WHERE files.state IN ('loaded', 'cut')
