-- Every combination of labels that requests of the window carry, by the hash that stands for it.
SELECT DISTINCT
    hash(model, release, prompt_version, index_version, ordering_seen) AS labels,
    model,
    release,
    prompt_version,
    index_version,
    ordering_seen
FROM days
WHERE day >= $first_day AND day < $next_day AND route = $route
ORDER BY ALL
