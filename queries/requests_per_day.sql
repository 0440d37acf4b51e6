-- Requests a day and route by outcome; a day on which a route was silent is a row of zeros.
--
-- parameters
--   first_day  DATE            first day to show
--   days       INTEGER = 28    how many days to show
--   route      VARCHAR = NULL  one route; NULL: every route, each for itself
--
-- columns
--   day       DATE     the day, in the store's time zone
--   route     VARCHAR  the route; those with a request on one of the days
--   requests  BIGINT   requests
--   answered  BIGINT   of those, answered
--   refused   BIGINT   of those, refused
--   errors    BIGINT   of those, ended in an error
--   cached    BIGINT   of those, answered from a cache

WITH asked AS (
    SELECT
        $first_day::DATE AS first_day,
        $days::INTEGER AS days,
        $route::VARCHAR AS route
),

per_day AS (
    SELECT
        counted.day,
        counted.route,
        sum(counted.requests) AS requests,
        sum(counted.answered) AS answered,
        sum(counted.refused) AS refused,
        sum(counted.errors) AS errors,
        sum(counted.cached) AS cached
    FROM days AS counted, asked
    WHERE
        counted.day >= asked.first_day
        AND counted.day < asked.first_day + asked.days
        AND (asked.route IS NULL OR counted.route = asked.route)
    GROUP BY ALL
),

calendar AS (
    SELECT
        (asked.first_day + step.days_on::INTEGER) AS day,
        seen.route
    FROM asked, range(asked.days) AS step(days_on), (SELECT DISTINCT route FROM per_day) AS seen
)

SELECT
    calendar.day,
    calendar.route,
    coalesce(per_day.requests, 0)::BIGINT AS requests,
    coalesce(per_day.answered, 0)::BIGINT AS answered,
    coalesce(per_day.refused, 0)::BIGINT AS refused,
    coalesce(per_day.errors, 0)::BIGINT AS errors,
    coalesce(per_day.cached, 0)::BIGINT AS cached
FROM calendar
LEFT JOIN per_day ON calendar.day = per_day.day AND calendar.route = per_day.route
ORDER BY calendar.day, calendar.route
