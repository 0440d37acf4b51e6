-- Count retrieved, packed and cited chunks by retrieved rank, for requests whose citations are known.
SELECT
    chunk.day,
    chunk.route,
    chunk.model,
    chunk.release,
    chunk.rank,
    chunk.unit_group,
    CAST(count(*) AS BIGINT) AS retrieved,
    CAST(sum(CASE WHEN chunk.position IS NOT NULL THEN 1 ELSE 0 END) AS BIGINT) AS packed,
    CAST(sum(CASE WHEN chunk.cited THEN 1 ELSE 0 END) AS BIGINT) AS cited
FROM chunks AS chunk
INNER JOIN touched_days ON chunk.day = touched_days.day
WHERE chunk.rank IS NOT NULL AND chunk.citations_known
GROUP BY chunk.day, chunk.route, chunk.model, chunk.release, chunk.rank, chunk.unit_group
