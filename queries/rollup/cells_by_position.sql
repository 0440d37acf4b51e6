-- Count packed chunks whose citations are known by K, packed rank, exact position and unit group.
SELECT
    chunk.day,
    chunk.route,
    chunk.model,
    chunk.release,
    chunk.ordering_seen,
    chunk.k,
    chunk.packed_rank,
    chunk.position,
    chunk.unit_group,
    CAST(count(*) AS BIGINT) AS packed,
    CAST(sum(CASE WHEN chunk.cited THEN 1 ELSE 0 END) AS BIGINT) AS cited
FROM chunks AS chunk
INNER JOIN touched_days ON chunk.day = touched_days.day
WHERE chunk.position IS NOT NULL AND chunk.cited IS NOT NULL
GROUP BY
    chunk.day,
    chunk.route,
    chunk.model,
    chunk.release,
    chunk.ordering_seen,
    chunk.k,
    chunk.packed_rank,
    chunk.position,
    chunk.unit_group
