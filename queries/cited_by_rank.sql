-- Of the chunks retrieved at each rank, the share that was packed and the share the answer cited.
--
-- parameters
--   week            DATE            Monday that opens the week
--   route           VARCHAR = NULL  one route; NULL: every route, each for itself
--   baseline_weeks  INTEGER = 13    how many weeks before it to compare with, pooled
--
-- columns
--   route          VARCHAR  the route
--   rank           INTEGER  order of the last scorer before packing, 1 = best
--   answers        BIGINT   answers of the route with known citations that week
--   retrieved      BIGINT   chunks retrieved at this rank for those answers
--   packed         BIGINT   of those, packed
--   cited          BIGINT   of those, cited
--   cited_rate     DOUBLE   cited / retrieved, 0 to 1
--   low            DOUBLE   lower end of its 95 % interval
--   high           DOUBLE   upper end of its 95 % interval
--   baseline_rate  DOUBLE   the same in the baseline; NULL below six weeks with data

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route,
        $baseline_weeks::INTEGER AS baseline_weeks
),

per_group AS (
    SELECT
        ranked.route,
        ranked.rank,
        ranked.day >= asked.week AS this_week,
        ranked.unit_group,
        sum(ranked.retrieved)::BIGINT AS retrieved,
        sum(ranked.packed)::BIGINT AS packed,
        sum(ranked.cited)::BIGINT AS cited
    FROM ranks AS ranked, asked
    WHERE
        ranked.day >= asked.week - 7 * asked.baseline_weeks
        AND ranked.day < asked.week + 7
        AND (asked.route IS NULL OR ranked.route = asked.route)
    GROUP BY ALL
),

per_period AS (
    SELECT
        route,
        rank,
        this_week,
        sum(retrieved)::BIGINT AS retrieved,
        sum(packed)::BIGINT AS packed,
        sum(cited)::BIGINT AS cited,
        leave_one_out(
            list(cited ORDER BY unit_group), list(retrieved ORDER BY unit_group)
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
    now.rank,
    answered.answers,
    now.retrieved,
    now.packed,
    now.cited,
    now.cited / nullif(now.retrieved, 0) AS cited_rate,
    rate_low(now.left_out) AS low,
    rate_high(now.left_out) AS high,
    before.cited / nullif(before.retrieved, 0) AS baseline_rate
FROM per_period AS now
INNER JOIN answered ON now.route = answered.route
LEFT JOIN per_period AS before
    ON
        now.route = before.route
        AND now.rank = before.rank
        AND NOT before.this_week
        AND baseline_stands(answered.weeks_before)
WHERE now.this_week
ORDER BY now.route, now.rank
