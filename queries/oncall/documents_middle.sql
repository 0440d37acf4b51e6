-- The position effect on both sides by document, whole days; NULL gathers chunks that name none.
SELECT
    CASE WHEN $release IS NULL THEN chunk.day >= $since_from ELSE chunk.release = $release END AS since,
    chunk.doc_id,
    sum(edge.weight * chunk.cited::INTEGER) AS part,
    sum(edge.weight * edge.rate) AS whole
FROM chunks AS chunk
INNER JOIN edges AS edge
    ON
        edge.route = $route
        AND chunk.k = edge.k
        AND chunk.packed_rank = edge.packed_rank
        AND edge.later = CASE WHEN $release IS NULL THEN chunk.day >= $start ELSE chunk.release = $release END
WHERE
    chunk.day >= $first_day
    AND chunk.day < $next_day
    AND chunk.route = $route
    AND (chunk.day < $before_to OR chunk.day >= $since_from)
    AND ($release IS NULL OR chunk.release IN ($release, $against))
    AND chunk.place = 'middle'
    AND chunk.cited IS NOT NULL
GROUP BY ALL
HAVING sum(edge.weight * edge.rate) > 0
ORDER BY ALL
