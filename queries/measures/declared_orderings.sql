-- Requests of a span of days by the ordering that they declare and those that they agree with;
-- requests of fewer than three packed chunks, without ranks, or shuffled on purpose cannot tell.
SELECT
    day,
    route,
    ordering,
    ordering_seen,
    packed AS k,
    sum(requests)::BIGINT AS requests
FROM (
    SELECT day, route, ordering, ordering_seen, packed, 1 AS requests FROM requests
    UNION ALL
    SELECT day, route, ordering, ordering_seen, packed, requests FROM declared
)
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ordering IS NOT NULL
    AND ordering_seen NOT IN ('short', 'unranked', 'explored')
GROUP BY ALL
ORDER BY ALL
