-- Answers of a span of days that could show a middle, by route, and how many assume rank or position.
SELECT
    route,
    count(*)::BIGINT AS answers,
    sum(CASE WHEN rank_origin = 'assumed' THEN 1 ELSE 0 END)::BIGINT AS rank,
    sum(CASE WHEN position_origin = 'assumed' THEN 1 ELSE 0 END)::BIGINT AS position
FROM requests
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ($model IS NULL OR model = $model)
    AND ($release IS NULL OR release = $release)
    AND cited IS NOT NULL
    AND packed > 2
GROUP BY ALL
ORDER BY ALL
