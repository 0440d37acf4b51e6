-- Requests on each of the seven days of a week, silent days included: whether the week is complete.
--
-- parameters
--   week  DATE  Monday that opens the week
--
-- columns
--   day       DATE     the day, in the store's time zone
--   route     VARCHAR  the route; those with a request in this week or in the one before
--   requests  BIGINT   requests; 0 on a silent day

WITH asked AS (
    SELECT $week::DATE AS week
),

per_day AS (
    SELECT
        counted.day,
        counted.route,
        sum(counted.requests) AS requests
    FROM days AS counted, asked
    WHERE
        counted.day >= asked.week - 7
        AND counted.day < asked.week + 7
    GROUP BY ALL
),

calendar AS (
    SELECT
        (asked.week + step.days_on::INTEGER) AS day,
        seen.route
    FROM asked, range(7) AS step(days_on), (SELECT DISTINCT route FROM per_day) AS seen
)

SELECT
    calendar.day,
    calendar.route,
    coalesce(per_day.requests, 0)::BIGINT AS requests
FROM calendar
LEFT JOIN per_day ON calendar.day = per_day.day AND calendar.route = per_day.route
ORDER BY calendar.day, calendar.route
