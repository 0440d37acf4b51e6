-- Requests of a span of days by route, K and the orderings they agree with.
SELECT
    route,
    ordering_seen,
    k,
    sum(packed)::BIGINT AS requests
FROM cells_by_position
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ($model IS NULL OR model = $model)
    AND ($release IS NULL OR release = $release)
    AND position = 1
GROUP BY ALL
ORDER BY ALL
