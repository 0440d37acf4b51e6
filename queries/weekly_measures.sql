-- Every measure of a route as a line over the weeks, each with its count and its interval.
--
-- parameters
--   week     DATE            Monday that opens the last week
--   route    VARCHAR = NULL  one route; NULL: every route, each for itself
--   weeks    INTEGER = 14    how many weeks to show, that one included
--   lengths  INTEGER = 104   of how many of these weeks p95_context_tokens is read out: it takes longest
--
-- columns
--   week     DATE     Monday that opens the week
--   route    VARCHAR  the route
--   measure  VARCHAR  its name; position_*: of the cited chunks of prompts of two or more, the share there
--   n        BIGINT   what the value rests on: the denominator of a rate
--   n_of     VARCHAR  what n counts
--   value    DOUBLE   rates 0 to 1; requests; tokens; mean log2 of the retrieved rank, 0 = all first
--   low      DOUBLE   lower end of its 95 % interval; NULL for requests
--   high     DOUBLE   upper end of its 95 % interval; NULL for requests

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route,
        $weeks::INTEGER AS weeks,
        $lengths::INTEGER AS lengths
),

counted AS (
    SELECT
        week_of(one.day) AS week,
        one.route,
        one.unit_group,
        sum(one.requests)::BIGINT AS requests,
        sum(one.cited)::BIGINT AS cited,
        sum(one.known_packed)::BIGINT AS packed,
        sum(one.involved)::BIGINT AS involved,
        sum(one.compared)::BIGINT AS compared,
        sum(one.citation_free)::BIGINT AS citation_free,
        sum(one.citations_known)::BIGINT AS answers,
        sum(one.stray)::BIGINT AS stray,
        sum(one.citations)::BIGINT AS citations,
        sum(one.largest_document)::BIGINT AS largest_document,
        sum(one.documented)::BIGINT AS documented,
        sum(one.correct)::BIGINT AS correct,
        sum(one.judged)::BIGINT AS judged
    FROM days AS one, asked
    WHERE
        one.day >= asked.week - 7 * (asked.weeks - 1)
        AND one.day < asked.week + 7
        AND (asked.route IS NULL OR one.route = asked.route)
    GROUP BY ALL
),

placed AS (
    SELECT
        week_of(cell.day) AS week,
        cell.route,
        cell.unit_group,
        sum(CASE WHEN cell.place = 'start' THEN cell.cited ELSE 0 END)::BIGINT AS at_start,
        sum(CASE WHEN cell.place = 'middle' THEN cell.cited ELSE 0 END)::BIGINT AS in_middle,
        sum(CASE WHEN cell.place = 'end' THEN cell.cited ELSE 0 END)::BIGINT AS at_end,
        sum(cell.cited)::BIGINT AS cited
    FROM cells AS cell, asked
    WHERE
        cell.place <> 'only'
        AND cell.day >= asked.week - 7 * (asked.weeks - 1)
        AND cell.day < asked.week + 7
        AND (asked.route IS NULL OR cell.route = asked.route)
    GROUP BY ALL
),

-- log2 in whole billionths, so that the sum is the same in whatever order it is made
ranked AS (
    SELECT
        week_of(one.day) AS week,
        one.route,
        one.unit_group,
        sum(one.cited * round(1000000000 * log2(one.rank))::BIGINT) / 1000000000 AS log2_ranks,
        sum(one.cited)::BIGINT AS cited
    FROM ranks AS one, asked
    WHERE
        one.day >= asked.week - 7 * (asked.weeks - 1)
        AND one.day < asked.week + 7
        AND (asked.route IS NULL OR one.route = asked.route)
    GROUP BY ALL
),

rates AS (
    SELECT
        week,
        route,
        unit_group,
        unnest([
            {'measure': 'cited_rate', 'part': cited, 'whole': packed, 'n_of': 'packed chunks'},
            {'measure': 'involved_rate', 'part': involved, 'whole': compared,
                'n_of': 'compared chunks'},
            {'measure': 'citation_free_rate', 'part': citation_free, 'whole': answers,
                'n_of': 'answers'},
            {'measure': 'stray_rate', 'part': stray, 'whole': citations, 'n_of': 'citations'},
            {'measure': 'largest_document_share', 'part': largest_document, 'whole': documented,
                'n_of': 'documented chunks'},
            {'measure': 'accuracy', 'part': correct, 'whole': judged, 'n_of': 'judged requests'}
        ], recursive := true)
    FROM counted
    UNION ALL
    SELECT
        week,
        route,
        unit_group,
        unnest([
            {'measure': 'position_start', 'part': at_start, 'whole': cited, 'n_of': 'cited chunks'},
            {'measure': 'position_middle', 'part': in_middle, 'whole': cited,
                'n_of': 'cited chunks'},
            {'measure': 'position_end', 'part': at_end, 'whole': cited, 'n_of': 'cited chunks'}
        ], recursive := true)
    FROM placed
),

rates_left_out AS (
    SELECT
        week,
        route,
        measure,
        sum(whole)::BIGINT AS n,
        n_of,
        sum(part) / nullif(sum(whole), 0) AS value,
        leave_one_out(list(part ORDER BY unit_group), list(whole ORDER BY unit_group)) AS left_out
    FROM rates
    GROUP BY week, route, measure, n_of
),

ranks_left_out AS (
    SELECT
        week,
        route,
        sum(cited)::BIGINT AS n,
        list_sum(list(log2_ranks ORDER BY unit_group)) / nullif(sum(cited), 0) AS value,
        leave_one_out(
            list(log2_ranks ORDER BY unit_group), list(cited ORDER BY unit_group)
        ) AS left_out
    FROM ranked
    GROUP BY ALL
),

measured AS (
    SELECT
        week,
        route,
        measure,
        n,
        n_of,
        value,
        rate_low(left_out) AS low,
        rate_high(left_out) AS high
    FROM rates_left_out
    UNION ALL
    SELECT
        week,
        route,
        'mean_log2_cited_rank' AS measure,
        n,
        'cited chunks with a rank' AS n_of,
        value,
        log2_rank_low(left_out) AS low,
        log2_rank_high(left_out) AS high
    FROM ranks_left_out
    UNION ALL
    SELECT
        week,
        route,
        'requests' AS measure,
        sum(requests)::BIGINT AS n,
        'requests' AS n_of,
        sum(requests)::DOUBLE AS value,
        NULL AS low,
        NULL AS high
    FROM counted
    GROUP BY week, route
    UNION ALL
    SELECT
        read_out.week,
        read_out.route,
        'p95_context_tokens' AS measure,
        read_out.requests AS n,
        'requests with context tokens' AS n_of,
        read_out.p95 AS value,
        read_out.p95_low AS low,
        read_out.p95_high AS high
    FROM asked, context_percentiles(
        asked.week - 7 * (least(asked.lengths, asked.weeks) - 1), asked.week + 6, asked.route
    ) AS read_out
)

SELECT
    week,
    route,
    measure,
    n,
    n_of,
    value,
    low,
    high
FROM measured
ORDER BY route, measure, week
