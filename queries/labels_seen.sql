-- Which routes, models, releases, index and prompt versions served a week, and on which days.
--
-- parameters
--   week  DATE  Monday that opens the week
--
-- columns
--   kind       VARCHAR  route, model, release, index_version or prompt_version
--   route      VARCHAR  the route that it served
--   label      VARCHAR  its name; "unknown" where none was logged
--   requests   BIGINT   requests
--   first_day  DATE     first day of the week with one
--   last_day   DATE     last day of the week with one

WITH asked AS (
    SELECT $week::DATE AS week
),

labels AS (
    SELECT
        counted.day,
        counted.route,
        counted.requests,
        unnest([
            {'kind': 'route', 'label': counted.route},
            {'kind': 'model', 'label': counted.model},
            {'kind': 'release', 'label': counted.release},
            {'kind': 'index_version', 'label': counted.index_version},
            {'kind': 'prompt_version', 'label': counted.prompt_version}
        ], recursive := true)
    FROM days AS counted, asked
    WHERE
        counted.day >= asked.week
        AND counted.day < asked.week + 7
)

SELECT
    kind,
    route,
    label,
    sum(requests)::BIGINT AS requests,
    min(day) AS first_day,
    max(day) AS last_day
FROM labels
GROUP BY kind, route, label
ORDER BY
    list_position(['route', 'model', 'release', 'index_version', 'prompt_version'], kind),
    route,
    first_day,
    label
