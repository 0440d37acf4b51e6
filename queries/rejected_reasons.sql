-- Why lines were rejected: how many of each file for each reason, the most frequent first.
--
-- columns
--   file        VARCHAR  path as it was given
--   path        VARCHAR  the field without its place in a list, as chunks[].rank; empty: the line
--   reason      VARCHAR  what is wrong with it
--   lines       BIGINT   lines rejected for it
--   first_line  BIGINT   the first of them, from 1

SELECT
    batch.file,
    regexp_replace(rejected.path, '\[\d+\]', '[]', 'g') AS path,
    rejected.reason,
    count(DISTINCT (rejected.batch, rejected.line)) AS lines,
    min(rejected.line) AS first_line
FROM rejected_lines AS rejected
INNER JOIN batches AS batch ON rejected.batch = batch.batch
GROUP BY ALL
ORDER BY lines DESC, batch.file, path, rejected.reason
