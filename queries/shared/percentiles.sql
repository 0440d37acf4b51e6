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

-- Whether the percentile (in percent, an integer, so that its rank is exact) lies in a bin: upto
-- counts the requests of all bins to this one, requests those of this one.
CREATE OR REPLACE TEMP MACRO holds_percentile(percent, requests, upto, total) AS
    100 * upto >= percent * total AND 100 * (upto - requests) < percent * total;

-- Tokens at the percentile where it lies in this bin, else NULL.
CREATE OR REPLACE TEMP MACRO tokens_at(percent, bin, requests, upto, total) AS CASE
    WHEN holds_percentile(percent, requests, upto, total)
        THEN tokens_in_bin(bin, (percent * total - 100 * (upto - requests)) / (100 * requests))
END;

-- Per week and route: requests with a context of known length, their percentiles, and the 95 %
-- jackknife interval of p95, made on the log scale with the floor of 0.0005 for the error of ln tokens.
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
        sum(requests)::BIGINT AS requests,
        sum(sum(requests)) OVER up_to_here AS upto,
        sum(sum(requests)) OVER (PARTITION BY week, route) AS total
    FROM per_group
    GROUP BY week, route, context_bin
    WINDOW up_to_here AS (PARTITION BY week, route ORDER BY context_bin)
),

read_out AS (
    SELECT
        week,
        route,
        any_value(total)::BIGINT AS requests,
        max(tokens_at(50, context_bin, requests, upto, total)) AS p50,
        max(tokens_at(95, context_bin, requests, upto, total)) AS p95,
        max(tokens_at(99, context_bin, requests, upto, total)) AS p99
    FROM per_bin
    GROUP BY ALL
),

unit_groups AS (
    SELECT
        week,
        route,
        unit_group,
        sum(requests) AS own_total,
        max(sum(requests)) OVER (PARTITION BY week, route) AS largest
    FROM per_group
    GROUP BY week, route, unit_group
),

-- No group moves p95 out of these bins, however its requests lie: at most all of them are below
-- p95, or all above. All bins before them count as one.
reach AS (
    SELECT
        bin.week,
        bin.route,
        min(CASE WHEN 100 * bin.upto >= 95 * (bin.total - held.largest) THEN bin.context_bin END)
            AS first_bin,
        min(CASE WHEN 100 * bin.upto >= 95 * bin.total + 5 * held.largest THEN bin.context_bin END)
            AS last_bin
    FROM per_bin AS bin
    INNER JOIN (SELECT DISTINCT week, route, largest FROM unit_groups) AS held
        ON bin.week = held.week AND bin.route = held.route
    GROUP BY ALL
),

within_reach AS (
    SELECT
        own.week,
        own.route,
        greatest(own.context_bin, reach.first_bin - 1) AS context_bin,
        own.unit_group,
        sum(own.requests) AS requests
    FROM per_group AS own
    INNER JOIN reach
        ON
            own.week = reach.week
            AND own.route = reach.route
            AND own.context_bin <= reach.last_bin
    GROUP BY ALL
),

-- every such bin with each unit group left out in turn
left_out AS (
    SELECT
        bin.week,
        bin.route,
        gone.unit_group,
        bin.context_bin,
        bin.requests - coalesce(own.requests, 0) AS requests,
        sum(bin.requests - coalesce(own.requests, 0)) OVER (
            PARTITION BY bin.week, bin.route, gone.unit_group ORDER BY bin.context_bin
        ) AS upto,
        whole.requests - gone.own_total AS total
    FROM (
        SELECT week, route, context_bin, sum(requests) AS requests
        FROM within_reach
        GROUP BY ALL
    ) AS bin
    INNER JOIN unit_groups AS gone ON bin.week = gone.week AND bin.route = gone.route
    INNER JOIN read_out AS whole ON bin.week = whole.week AND bin.route = whole.route
    LEFT JOIN within_reach AS own
        ON
            bin.week = own.week
            AND bin.route = own.route
            AND bin.context_bin = own.context_bin
            AND gone.unit_group = own.unit_group
),

estimates AS (
    SELECT
        week,
        route,
        unit_group,
        tokens_at(95, context_bin, requests, upto, total) AS p95
    FROM left_out
    WHERE total > 0 AND holds_percentile(95, requests, upto, total)
),

errors AS (
    SELECT
        week,
        route,
        count(*) AS groups,
        greatest(jackknife_error(list(ln(nullif(p95, 0)) ORDER BY unit_group)), 0.0005) AS log_error
    FROM estimates
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
LEFT JOIN errors AS error ON whole.week = error.week AND whole.route = error.route;
