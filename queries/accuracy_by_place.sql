-- How often the answer was judged right, by where the chunk known to hold the answer stood.
--
-- parameters
--   week   DATE            Monday that opens the week
--   route  VARCHAR = NULL  one route; NULL: every route, each for itself
--
-- columns
--   route     VARCHAR  the route; routes without judged, labelled requests are left out
--   place     VARCHAR  start, middle, end; only: one chunk was packed; not_packed: it was not there
--   judged    BIGINT   judged requests with their one packed expected chunk at this place
--   correct   BIGINT   of those, judged right
--   accuracy  DOUBLE   correct / judged, 0 to 1
--   low       DOUBLE   lower end of its 95 % interval
--   high      DOUBLE   upper end of its 95 % interval

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route
),

placed AS (
    SELECT
        cell.route,
        cell.place,
        cell.unit_group,
        sum(cell.judged)::BIGINT AS judged,
        sum(cell.correct)::BIGINT AS correct
    FROM cells AS cell, asked
    WHERE
        cell.day >= asked.week
        AND cell.day < asked.week + 7
        AND (asked.route IS NULL OR cell.route = asked.route)
    GROUP BY ALL
),

not_packed AS (
    SELECT
        counted.route,
        'not_packed' AS place,
        counted.unit_group,
        sum(counted.unpacked_judged)::BIGINT AS judged,
        sum(counted.unpacked_correct)::BIGINT AS correct
    FROM days AS counted, asked
    WHERE
        counted.day >= asked.week
        AND counted.day < asked.week + 7
        AND (asked.route IS NULL OR counted.route = asked.route)
    GROUP BY ALL
),

per_group AS (
    SELECT * FROM placed
    UNION ALL
    SELECT * FROM not_packed
),

per_place AS (
    SELECT
        route,
        place,
        sum(judged)::BIGINT AS judged,
        sum(correct)::BIGINT AS correct,
        leave_one_out(
            list(correct ORDER BY unit_group), list(judged ORDER BY unit_group)
        ) AS left_out
    FROM per_group
    GROUP BY ALL
    HAVING sum(judged) > 0
)

SELECT
    route,
    place,
    judged,
    correct,
    correct / judged AS accuracy,
    rate_low(left_out) AS low,
    rate_high(left_out) AS high
FROM per_place
ORDER BY route, list_position(['start', 'middle', 'end', 'only', 'not_packed'], place)
