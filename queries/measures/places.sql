-- Cited chunks of a span of days by route, unit group and place, in prompts of three or more.
SELECT
    route,
    unit_group,
    place,
    sum(cited)::BIGINT AS cited
FROM cells
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ($model IS NULL OR model = $model)
    AND ($release IS NULL OR release = $release)
    AND k > 2
GROUP BY ALL
ORDER BY ALL
