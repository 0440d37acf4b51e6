-- What became of each input file; of files with the same content the first by name counts.
SELECT
    name,
    batch,
    format,
    bytes,
    CASE WHEN copy > 1 AND state <> 'unreadable' THEN 'known' ELSE state END AS state,
    note,
    read,
    rejected,
    judgements,
    unknown_fields
FROM (
    SELECT
        file.name AS name,
        file.batch AS batch,
        file.format AS format,
        file.bytes AS bytes,
        file.state AS state,
        file.note AS note,
        file.read AS read,
        file.rejected AS rejected,
        file.judgements AS judgements,
        file.unknown_fields AS unknown_fields,
        row_number() OVER (PARTITION BY file.batch ORDER BY file.name) AS copy
    FROM parsed
    WHERE file IS NOT NULL
) AS numbered
