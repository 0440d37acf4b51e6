-- Distinct units of a span of days by route, counted up to 40.
SELECT
    route,
    least(count(DISTINCT unit_hash), 40)::BIGINT AS units
FROM units
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ($model IS NULL OR model = $model)
    AND ($release IS NULL OR release = $release)
GROUP BY route
ORDER BY route
