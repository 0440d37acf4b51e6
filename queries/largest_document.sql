-- Of the packed chunks, the share that came from the prompt's largest document, week by week.
--
-- parameters
--   week   DATE            Monday that opens the last week
--   route  VARCHAR = NULL  one route; NULL: every route, each for itself
--   weeks  INTEGER = 14    how many weeks to show, that one included
--
-- columns
--   week                    DATE     Monday that opens the week
--   route                   VARCHAR  the route
--   packed_documented       BIGINT   packed chunks of prompts whose chunks all name their document
--   largest_document        BIGINT   of those, chunks of the document that has most of its prompt
--   largest_document_share  DOUBLE   largest_document / packed_documented, 0 to 1
--   low                     DOUBLE   lower end of its 95 % interval
--   high                    DOUBLE   upper end of its 95 % interval

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route,
        $weeks::INTEGER AS weeks
),

per_group AS (
    SELECT
        week_of(counted.day) AS week,
        counted.route,
        counted.unit_group,
        sum(counted.documented)::BIGINT AS documented,
        sum(counted.largest_document)::BIGINT AS largest_document
    FROM days AS counted, asked
    WHERE
        counted.day >= asked.week - 7 * (asked.weeks - 1)
        AND counted.day < asked.week + 7
        AND (asked.route IS NULL OR counted.route = asked.route)
    GROUP BY ALL
),

per_week AS (
    SELECT
        week,
        route,
        sum(documented)::BIGINT AS packed_documented,
        sum(largest_document)::BIGINT AS largest_document,
        leave_one_out(
            list(largest_document ORDER BY unit_group), list(documented ORDER BY unit_group)
        ) AS left_out
    FROM per_group
    GROUP BY ALL
)

SELECT
    week,
    route,
    packed_documented,
    largest_document,
    largest_document / nullif(packed_documented, 0) AS largest_document_share,
    rate_low(left_out) AS low,
    rate_high(left_out) AS high
FROM per_week
ORDER BY week, route
