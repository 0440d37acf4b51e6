-- Lines that could not become a record: where each stands, and why.
--
-- parameters
--   batch  VARCHAR = NULL  one batch, by its name or the beginning of it; NULL: every batch
--   rows   INTEGER = 100   how many lines to show
--
-- columns
--   file         VARCHAR  path as it was given
--   line         BIGINT   line of the file, from 1; the first row of the request in flat formats
--   byte_offset  BIGINT   where the line begins in the unpacked file; NULL for Parquet
--   path         VARCHAR  the field, as chunks[3].rank; empty: the line as a whole
--   reason       VARCHAR  what is wrong with it

WITH asked AS (
    SELECT
        $batch::VARCHAR AS batch,
        $rows::INTEGER AS rows
)

SELECT
    batch.file,
    rejected.line,
    rejected.byte_offset,
    rejected.path,
    rejected.reason
FROM rejected_lines AS rejected
INNER JOIN batches AS batch ON rejected.batch = batch.batch
CROSS JOIN asked
WHERE asked.batch IS NULL OR starts_with(rejected.batch, asked.batch)
ORDER BY batch.file, rejected.batch, rejected.line, rejected.path, rejected.reason
LIMIT (SELECT asked.rows FROM asked)
