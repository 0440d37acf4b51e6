-- Which models and prompt versions answered in a week, and since when each route has had them.
SELECT
    route,
    model,
    prompt_version,
    sum(CASE WHEN day >= $first_day THEN requests ELSE 0 END)::BIGINT AS requests,
    min(day) AS since
FROM days
WHERE day < $next_day
GROUP BY
    route,
    model,
    prompt_version
HAVING sum(CASE WHEN day >= $first_day THEN requests ELSE 0 END) >= $least
ORDER BY ALL
