-- Labels of a route that were first seen in a span of days, and carry a tenth of its requests since.
WITH labelled AS (
    SELECT
        day,
        route,
        requests,
        unnest(['release', 'model', 'index version']) AS kind,
        unnest([release, model, index_version]) AS label
    FROM days
    WHERE day < $next_day
),

first_seen AS (
    SELECT route, kind, label, min(day) AS first_day, sum(requests) AS requests
    FROM labelled
    WHERE label <> 'unknown'
    GROUP BY ALL
),

known AS (
    SELECT route, min(day) AS first_day FROM days GROUP BY route
)

SELECT first_seen.route, first_seen.kind, first_seen.label, first_seen.first_day
FROM first_seen
INNER JOIN known ON first_seen.route = known.route
WHERE
    first_seen.first_day > known.first_day
    AND first_seen.first_day >= $first_day
    AND first_seen.requests >= 0.1 * (
        SELECT sum(days.requests)
        FROM days
        WHERE days.route = first_seen.route
            AND days.day >= first_seen.first_day
            AND days.day < $next_day
    )
ORDER BY ALL
