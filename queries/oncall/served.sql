-- Requests on both sides by route, model and release, of the same days as `segments`.
SELECT
    CASE WHEN $release IS NULL THEN day >= $since_from ELSE release = $release END AS since,
    route,
    model,
    release,
    sum(requests)::DOUBLE AS requests
FROM days
WHERE
    day >= $first_day
    AND day < $next_day
    AND (day < $before_to OR day >= $since_from)
    AND ($route IS NULL OR route = $route)
    AND ($release IS NULL OR release IN ($release, $against))
GROUP BY ALL
ORDER BY ALL
