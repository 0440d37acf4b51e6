-- Cited chunks of a span of days by route, unit group and retrieved rank.
SELECT
    route,
    unit_group,
    rank,
    sum(cited)::BIGINT AS cited
FROM ranks
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ($model IS NULL OR model = $model)
    AND ($release IS NULL OR release = $release)
GROUP BY ALL
HAVING sum(cited) > 0
ORDER BY ALL
