-- What was loaded since a moment: when, how many lines, and how many of them were rejected.
SELECT
    loaded_at,
    read,
    rejected
FROM batches
WHERE loaded_at >= $since
ORDER BY loaded_at, batch
