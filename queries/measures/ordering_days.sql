-- Requests of a span of days by day, route, K and the orderings they agree with.
SELECT
    day,
    route,
    ordering_seen,
    k,
    sum(packed)::BIGINT AS requests
FROM cells_by_position
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND position = 1
GROUP BY ALL
ORDER BY ALL
