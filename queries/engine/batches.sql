-- What each file brought. read = loaded + duplicate + superseded + rejected; what is known or no log is left out.
SELECT
    files.batch,
    files.name AS file,
    files.format,
    files.bytes,
    files.state,
    files.read,
    CAST(coalesce(counted.loaded, 0) AS BIGINT) AS loaded,
    CAST(coalesce(counted.duplicate, 0) AS BIGINT) AS duplicate,
    CAST(coalesce(counted.superseded, 0) AS BIGINT) AS superseded,
    files.rejected,
    files.judgements,
    files.unknown_fields
FROM files
LEFT JOIN (
    SELECT
        batch,
        sum(CASE WHEN telling = 1 AND version = 1 THEN 1 ELSE 0 END) AS loaded,
        sum(CASE WHEN telling > 1 THEN 1 ELSE 0 END) AS duplicate,
        sum(CASE WHEN telling = 1 AND version > 1 THEN 1 ELSE 0 END) AS superseded
    FROM (
        SELECT
            batch,
            telling,
            version
        FROM lines
        UNION ALL
        SELECT
            label.batch AS batch,
            row_number() OVER (
                PARTITION BY label.request_id, label.judgement_hash
                ORDER BY label.batch
            ) AS telling,
            1 AS version
        FROM parsed
        INNER JOIN files ON parsed.label.file = files.name
        WHERE parsed.label IS NOT NULL AND files.state IN ('loaded', 'cut')
    ) AS told
    GROUP BY batch
) AS counted ON files.batch = counted.batch AND files.state IN ('loaded', 'cut')
WHERE files.state IN ('loaded', 'cut', 'set_aside')
