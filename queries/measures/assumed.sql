-- Answers of a span of days that could show a middle, by route, and how many assume rank or position.
SELECT
    route,
    sum(requests)::BIGINT AS answers,
    sum(CASE WHEN rank_origin = 'assumed' THEN requests ELSE 0 END)::BIGINT AS rank,
    sum(CASE WHEN position_origin = 'assumed' THEN requests ELSE 0 END)::BIGINT AS position
FROM (
    SELECT day, route, model, release, rank_origin, position_origin, 1 AS requests
    FROM requests
    WHERE cited IS NOT NULL AND packed > 2
    UNION ALL
    SELECT day, route, model, release, rank_origin, position_origin, requests
    FROM origins
    WHERE shows_middle
)
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ($model IS NULL OR model = $model)
    AND ($release IS NULL OR release = $release)
GROUP BY ALL
ORDER BY ALL
