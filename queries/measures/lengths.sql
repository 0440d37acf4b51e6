-- Requests of a span of days by route, unit group and bin of context tokens.
SELECT
    route,
    unit_group,
    context_bin,
    sum(requests)::BIGINT AS requests
FROM lengths
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ($model IS NULL OR model = $model)
    AND ($release IS NULL OR release = $release)
GROUP BY ALL
ORDER BY ALL
