-- Of the packed chunks, the share that are near-copies of another in the same prompt, week by week.
--
-- parameters
--   week   DATE            Monday that opens the last week
--   route  VARCHAR = NULL  one route; NULL: every route, each for itself
--   weeks  INTEGER = 14    how many weeks to show, that one included
--
-- columns
--   week              DATE     Monday that opens the week
--   route             VARCHAR  the route
--   packed_compared   BIGINT   packed chunks that could be compared with all others of their prompt
--   involved          BIGINT   of those, chunks with at least one near-copy beside them
--   redundant         BIGINT   of those, all but one of each group of near-copies
--   redundant_exact   BIGINT   the same, counting identical text only
--   involved_rate     DOUBLE   involved / packed_compared, 0 to 1
--   low               DOUBLE   lower end of its 95 % interval
--   high              DOUBLE   upper end of its 95 % interval
--   redundant_rate    DOUBLE   redundant / packed_compared, 0 to 1
--   redundant_tokens  BIGINT   tokens of the redundant chunks, scaled by sample weight

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
        sum(counted.compared)::BIGINT AS compared,
        sum(counted.involved)::BIGINT AS involved,
        sum(counted.redundant)::BIGINT AS redundant,
        sum(counted.redundant_exact)::BIGINT AS redundant_exact,
        sum(counted.weighted_redundant_tokens)::BIGINT AS weighted_tokens
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
        sum(compared)::BIGINT AS packed_compared,
        sum(involved)::BIGINT AS involved,
        sum(redundant)::BIGINT AS redundant,
        sum(redundant_exact)::BIGINT AS redundant_exact,
        leave_one_out(
            list(involved ORDER BY unit_group), list(compared ORDER BY unit_group)
        ) AS left_out,
        ((sum(weighted_tokens) + 500) // 1000)::BIGINT AS redundant_tokens
    FROM per_group
    GROUP BY ALL
)

SELECT
    week,
    route,
    packed_compared,
    involved,
    redundant,
    redundant_exact,
    involved / nullif(packed_compared, 0) AS involved_rate,
    rate_low(left_out) AS low,
    rate_high(left_out) AS high,
    redundant / nullif(packed_compared, 0) AS redundant_rate,
    redundant_tokens
FROM per_week
ORDER BY week, route
