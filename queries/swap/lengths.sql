-- Requests by bin of context tokens over the days before a day, by route and model.
SELECT
    route,
    model,
    context_bin,
    sum(requests)::BIGINT AS requests
FROM lengths
WHERE
    day >= $first_day
    AND day < $next_day
    AND (
        $route IS NULL
        OR route = $route
    )
GROUP BY ALL
ORDER BY ALL
