-- The position effect on both sides by route, model, release and unit group, from the daily cells
-- of whole days: those of [first_day, before_to) and of [since_from, next_day), or of two releases.
SELECT
    CASE WHEN $release IS NULL THEN cell.day >= $since_from ELSE cell.release = $release END AS since,
    cell.route,
    cell.model,
    cell.release,
    cell.unit_group,
    sum(edge.weight * cell.cited) AS part,
    sum(edge.weight * cell.packed * edge.rate) AS whole
FROM cells AS cell
INNER JOIN edges AS edge
    ON
        cell.route = edge.route
        AND cell.k = edge.k
        AND cell.packed_rank = edge.packed_rank
        AND edge.later = CASE WHEN $release IS NULL THEN cell.day >= $start ELSE cell.release = $release END
WHERE
    cell.place = 'middle'
    AND cell.day >= $first_day
    AND cell.day < $next_day
    AND (cell.day < $before_to OR cell.day >= $since_from)
    AND ($release IS NULL OR cell.release IN ($release, $against))
GROUP BY ALL
HAVING sum(edge.weight * cell.packed * edge.rate) > 0
ORDER BY ALL
