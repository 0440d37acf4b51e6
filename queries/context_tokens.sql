-- How long the prompts' contexts were: percentiles, mean, and the share that reached the budget.
--
-- parameters
--   week   DATE            Monday that opens the last week
--   route  VARCHAR = NULL  one route; NULL: every route, each for itself
--   weeks  INTEGER = 14    how many weeks to show, that one included
--
-- columns
--   week             DATE     Monday that opens the week
--   route            VARCHAR  the route
--   requests         BIGINT   requests with something packed whose context tokens are known
--   p50              DOUBLE   median of their context tokens, from bins 1 % wide
--   p95              DOUBLE   95th percentile, tokens
--   p99              DOUBLE   99th percentile, tokens
--   p95_low          DOUBLE   lower end of the 95 % interval of p95, tokens
--   p95_high         DOUBLE   upper end of the 95 % interval of p95, tokens
--   mean             DOUBLE   mean of their context tokens
--   budgeted         BIGINT   requests with a budget and known context tokens
--   at_budget        BIGINT   of those, with at least 95 % of the budget used
--   at_budget_rate   DOUBLE   at_budget / budgeted, 0 to 1
--   prompt_compared  BIGINT   requests with prompt tokens and context tokens
--   prompt_cut       BIGINT   of those, with fewer prompt tokens than context tokens: the server cut

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route,
        $weeks::INTEGER AS weeks
),

per_week AS (
    SELECT
        week_of(counted.day) AS week,
        counted.route,
        sum(counted.context_tokens) AS context_tokens,
        sum(counted.budgeted)::BIGINT AS budgeted,
        sum(counted.at_budget)::BIGINT AS at_budget,
        sum(counted.prompt_compared)::BIGINT AS prompt_compared,
        sum(counted.prompt_cut)::BIGINT AS prompt_cut
    FROM days AS counted, asked
    WHERE
        counted.day >= asked.week - 7 * (asked.weeks - 1)
        AND counted.day < asked.week + 7
        AND (asked.route IS NULL OR counted.route = asked.route)
    GROUP BY ALL
),

percentiles AS (
    SELECT read_out.*
    FROM asked, context_percentiles(
        asked.week - 7 * (asked.weeks - 1), asked.week + 6, asked.route
    ) AS read_out
)

SELECT
    per_week.week,
    per_week.route,
    coalesce(percentiles.requests, 0) AS requests,
    percentiles.p50,
    percentiles.p95,
    percentiles.p99,
    percentiles.p95_low,
    percentiles.p95_high,
    per_week.context_tokens / percentiles.requests AS mean,
    per_week.budgeted,
    per_week.at_budget,
    per_week.at_budget / nullif(per_week.budgeted, 0) AS at_budget_rate,
    per_week.prompt_compared,
    per_week.prompt_cut
FROM per_week
LEFT JOIN percentiles
    ON per_week.week = percentiles.week AND per_week.route = percentiles.route
ORDER BY per_week.week, per_week.route
