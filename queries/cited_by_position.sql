-- Of the chunks packed at each position, the share the answer cited, beside the weeks before.
--
-- parameters
--   week            DATE            Monday that opens the week
--   route           VARCHAR = NULL  one route; NULL: every route, each for itself
--   baseline_weeks  INTEGER = 13    how many weeks before it to compare with, pooled
--
-- columns
--   route            VARCHAR  the route
--   position         INTEGER  place among the packed chunks, 1 = first
--   answers          BIGINT   answers of the route with known citations that week
--   packed           BIGINT   chunks packed there in those answers
--   cited            BIGINT   of those, cited
--   cited_rate       DOUBLE   cited / packed, 0 to 1
--   low              DOUBLE   lower end of its 95 % interval
--   high             DOUBLE   upper end of its 95 % interval
--   baseline_packed  BIGINT   chunks packed there in the baseline; NULL below six weeks with data
--   baseline_rate    DOUBLE   their cited rate, 0 to 1
--   baseline_low     DOUBLE   lower end of its 95 % interval
--   baseline_high    DOUBLE   upper end of its 95 % interval
--   packed_share     DOUBLE   of the chunks packed at any position, the share packed here, 0 to 1
--   cited_share      DOUBLE   of the chunks cited at any position, the share cited here, 0 to 1

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route,
        $baseline_weeks::INTEGER AS baseline_weeks
),

per_group AS (
    SELECT
        cell.route,
        cell.position,
        cell.day >= asked.week AS this_week,
        cell.unit_group,
        sum(cell.packed)::BIGINT AS packed,
        sum(cell.cited)::BIGINT AS cited
    FROM cells_by_position AS cell, asked
    WHERE
        cell.day >= asked.week - 7 * asked.baseline_weeks
        AND cell.day < asked.week + 7
        AND (asked.route IS NULL OR cell.route = asked.route)
    GROUP BY ALL
),

per_period AS (
    SELECT
        route,
        position,
        this_week,
        sum(packed)::BIGINT AS packed,
        sum(cited)::BIGINT AS cited,
        leave_one_out(
            list(cited ORDER BY unit_group), list(packed ORDER BY unit_group)
        ) AS left_out
    FROM per_group
    GROUP BY ALL
),

answered AS (
    SELECT period.*
    FROM asked, answers_in(asked.week, asked.route, asked.baseline_weeks) AS period
)

SELECT
    now.route,
    now.position,
    answered.answers,
    now.packed,
    now.cited,
    now.cited / nullif(now.packed, 0) AS cited_rate,
    rate_low(now.left_out) AS low,
    rate_high(now.left_out) AS high,
    before.packed AS baseline_packed,
    before.cited / nullif(before.packed, 0) AS baseline_rate,
    rate_low(before.left_out) AS baseline_low,
    rate_high(before.left_out) AS baseline_high,
    now.packed / nullif(sum(now.packed) OVER (PARTITION BY now.route), 0) AS packed_share,
    now.cited / nullif(sum(now.cited) OVER (PARTITION BY now.route), 0) AS cited_share
FROM per_period AS now
INNER JOIN answered ON now.route = answered.route
LEFT JOIN per_period AS before
    ON
        now.route = before.route
        AND now.position = before.position
        AND NOT before.this_week
        AND baseline_stands(answered.weeks_before)
WHERE now.this_week
ORDER BY now.route, now.position
