-- Batches that a night need not load again: what is in the store, and what would be set aside again.
WITH rejected AS (
    SELECT
        batch,
        count(*) AS lines
    FROM rejected_lines
    GROUP BY batch
)

SELECT
    loaded.batch,
    loaded.state = 'set_aside' AS is_set_aside
FROM batches AS loaded
LEFT JOIN rejected ON loaded.batch = rejected.batch
WHERE loaded.state <> 'set_aside' OR rejected.lines > $max_rejected * loaded.read
ORDER BY loaded.batch
