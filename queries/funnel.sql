-- Per answer, how many chunks were retrieved, how many of those packed, and how many of those cited.
--
-- parameters
--   week            DATE            Monday that opens the week
--   route           VARCHAR = NULL  one route; NULL: every route, each for itself
--   baseline_weeks  INTEGER = 13    how many weeks before it to compare with, pooled
--
-- columns
--   route                VARCHAR  the route
--   step                 INTEGER  1, 2, 3
--   stage                VARCHAR  retrieved, packed, cited
--   answers              BIGINT   answers of the route with known citations that week
--   chunks               BIGINT   their chunks that came this far
--   per_answer           DOUBLE   chunks / answers
--   share                DOUBLE   chunks / chunks of the step before, 0 to 1; NULL at the first step
--   low                  DOUBLE   lower end of its 95 % interval
--   high                 DOUBLE   upper end of its 95 % interval
--   baseline_per_answer  DOUBLE   chunks / answers in the baseline; NULL below six weeks with data
--   baseline_share       DOUBLE   the share in the baseline, 0 to 1

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route,
        $baseline_weeks::INTEGER AS baseline_weeks
),

per_group AS (
    SELECT
        counted.route,
        counted.day >= asked.week AS this_week,
        counted.unit_group,
        sum(counted.citations_known)::BIGINT AS answers,
        sum(counted.known_retrieved)::BIGINT AS retrieved,
        sum(counted.known_packed)::BIGINT AS packed,
        sum(counted.cited)::BIGINT AS cited
    FROM days AS counted, asked
    WHERE
        counted.day >= asked.week - 7 * asked.baseline_weeks
        AND counted.day < asked.week + 7
        AND (asked.route IS NULL OR counted.route = asked.route)
    GROUP BY ALL
),

per_stage AS (
    SELECT
        route,
        this_week,
        unit_group,
        answers,
        unnest([
            {'step': 1, 'stage': 'retrieved', 'chunks': retrieved, 'step_before': NULL},
            {'step': 2, 'stage': 'packed', 'chunks': packed, 'step_before': retrieved},
            {'step': 3, 'stage': 'cited', 'chunks': cited, 'step_before': packed}
        ], recursive := true)
    FROM per_group
),

per_period AS (
    SELECT
        route,
        this_week,
        step,
        stage,
        sum(answers)::BIGINT AS answers,
        sum(chunks)::BIGINT AS chunks,
        sum(chunks) / nullif(sum(answers), 0) AS per_answer,
        sum(chunks) / nullif(sum(step_before), 0) AS share,
        leave_one_out(
            list(chunks ORDER BY unit_group), list(step_before ORDER BY unit_group)
        ) AS left_out
    FROM per_stage
    GROUP BY ALL
),

answered AS (
    SELECT period.*
    FROM asked, answers_in(asked.week, asked.route, asked.baseline_weeks) AS period
)

SELECT
    now.route,
    now.step,
    now.stage,
    now.answers,
    now.chunks,
    now.per_answer,
    now.share,
    rate_low(now.left_out) AS low,
    rate_high(now.left_out) AS high,
    before.per_answer AS baseline_per_answer,
    before.share AS baseline_share
FROM per_period AS now
INNER JOIN answered ON now.route = answered.route
LEFT JOIN per_period AS before
    ON
        now.route = before.route
        AND now.step = before.step
        AND NOT before.this_week
        AND baseline_stands(answered.weeks_before)
WHERE now.this_week
ORDER BY now.route, now.step
