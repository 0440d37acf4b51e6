-- Percentiles of context tokens, read out of the counts by bin in `lengths`.
--
-- Bins are those of DDSketch (Masson, Rim, Lee, VLDB 2019) with relative accuracy 0.5 %: with
-- gamma = 1.005 / 0.995, bin i holds (gamma^(i-1), gamma^i]; bin -1 holds zero. The percentile p of
-- n requests lies in the first bin up to which at least p * n requests are counted, the bin that
-- quantile_disc reads; inside the bin requests are taken as evenly spread on the log scale.

-- Tokens at a share 0 to 1 of a bin.
CREATE OR REPLACE TEMP MACRO tokens_in_bin(bin, inside) AS CASE
    WHEN bin = -1 THEN 0
    ELSE exp((bin - 1 + inside) * ln(1.005 / 0.995))
END;

-- Tokens at a percentile in percent (an integer, so that its rank is exact) where it lies in this bin,
-- else NULL: upto counts the requests of all bins to this one, requests those of this one.
CREATE OR REPLACE TEMP MACRO tokens_at(percent, bin, requests, upto, total) AS CASE
    WHEN 100 * upto >= percent * total AND 100 * (upto - requests) < percent * total
        THEN tokens_in_bin(bin, (percent * total - 100 * (upto - requests)) / (100 * requests))
END;

-- Per week and route: requests with a context of known length, their percentiles, and the 95 % jackknife
-- interval of p95, made on the log scale with the floor of 0.0005 for the error of ln tokens.
CREATE OR REPLACE TEMP MACRO context_percentiles(first_day, last_day, asked_route) AS TABLE
WITH per_group AS (
    SELECT
        week_of(day) AS week,
        route,
        context_bin,
        unit_group,
        sum(requests)::BIGINT AS requests
    FROM lengths
    WHERE
        day BETWEEN first_day AND last_day
        AND (asked_route IS NULL OR route = asked_route)
    GROUP BY ALL
),

per_bin AS (
    SELECT
        week,
        route,
        context_bin,
        sum(requests)::BIGINT AS requests
    FROM per_group
    GROUP BY ALL
),

-- every bin as it is (left_out NULL), and with each unit group left out in turn
kept AS (
    SELECT
        week,
        route,
        NULL AS left_out,
        context_bin,
        requests
    FROM per_bin
    UNION ALL
    SELECT
        bin.week,
        bin.route,
        left_group.unit_group AS left_out,
        bin.context_bin,
        bin.requests - coalesce(own.requests, 0) AS requests
    FROM per_bin AS bin
    INNER JOIN (SELECT DISTINCT week, route, unit_group FROM per_group) AS left_group
        ON bin.week = left_group.week AND bin.route = left_group.route
    LEFT JOIN per_group AS own
        ON
            bin.week = own.week
            AND bin.route = own.route
            AND bin.context_bin = own.context_bin
            AND left_group.unit_group = own.unit_group
),

counted AS (
    SELECT
        *,
        sum(requests) OVER (PARTITION BY week, route, left_out ORDER BY context_bin) AS upto,
        sum(requests) OVER (PARTITION BY week, route, left_out) AS total
    FROM kept
),

read_out AS (
    SELECT
        week,
        route,
        left_out,
        any_value(total)::BIGINT AS requests,
        max(tokens_at(50, context_bin, requests, upto, total)) AS p50,
        max(tokens_at(95, context_bin, requests, upto, total)) AS p95,
        max(tokens_at(99, context_bin, requests, upto, total)) AS p99
    FROM counted
    WHERE total > 0
    GROUP BY ALL
),

errors AS (
    SELECT
        week,
        route,
        count(*) AS groups,
        greatest(jackknife_error(list(ln(nullif(p95, 0)) ORDER BY left_out)), 0.0005) AS log_error
    FROM read_out
    WHERE left_out IS NOT NULL
    GROUP BY ALL
    HAVING min(p95) > 0
)

SELECT
    whole.week,
    whole.route,
    whole.requests,
    whole.p50,
    whole.p95,
    whole.p99,
    exp(ln(nullif(whole.p95, 0)) - t_quantile(error.groups) * error.log_error) AS p95_low,
    exp(ln(nullif(whole.p95, 0)) + t_quantile(error.groups) * error.log_error) AS p95_high
FROM read_out AS whole
LEFT JOIN errors AS error ON whole.week = error.week AND whole.route = error.route
WHERE whole.left_out IS NULL;
