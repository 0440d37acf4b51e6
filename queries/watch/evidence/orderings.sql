-- Requests of a route by K and the orderings they agree with, before and since the start.
SELECT
    day >= $start AS since,
    ordering_seen,
    k,
    sum(packed)::BIGINT AS requests
FROM cells_by_position
WHERE route = $route AND day >= $first_day AND day < $next_day AND position = 1
GROUP BY since, ordering_seen, k
ORDER BY since, ordering_seen, k
