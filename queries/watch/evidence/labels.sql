-- Since when each label of a route is seen, and how many of its requests carry it since the start.
SELECT
    kind,
    label,
    min(day) AS first_day,
    sum(CASE WHEN day >= $start AND day < $next_day THEN requests ELSE 0 END)::BIGINT AS requests
FROM (
    SELECT day, requests, unnest(['model', 'release', 'prompt_version', 'index_version']) AS kind,
        unnest([model, release, prompt_version, index_version]) AS label
    FROM days
    WHERE route = $route AND day < $next_day
) AS labelled
GROUP BY kind, label
ORDER BY kind, first_day, label
