-- Where the chunk known to hold the answer was lost: in all labelled requests, and in wrong answers.
--
-- parameters
--   week            DATE            Monday that opens the week
--   route           VARCHAR = NULL  one route; NULL: every route, each for itself
--   baseline_weeks  INTEGER = 13    how many weeks before it to compare with, pooled
--
-- columns
--   route           VARCHAR  the route; routes without labels are left out
--   judged_as       VARCHAR  all: every labelled request; wrong: those judged wrong
--   outcome         VARCHAR  not_retrieved, cut, uncited, cited or unknown_citation: the best fate
--   labelled        BIGINT   requests whose expected chunks are known
--   requests        BIGINT   of those, the requests with this outcome
--   share           DOUBLE   requests / labelled, 0 to 1
--   low             DOUBLE   lower end of its 95 % interval
--   high            DOUBLE   upper end of its 95 % interval
--   baseline_share  DOUBLE   the share in the baseline; NULL below six weeks with labels

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route,
        $baseline_weeks::INTEGER AS baseline_weeks
),

labelled_days AS (
    SELECT
        counted.*,
        counted.day >= asked.week AS this_week
    FROM days AS counted, asked
    WHERE
        counted.day >= asked.week - 7 * asked.baseline_weeks
        AND counted.day < asked.week + 7
        AND (asked.route IS NULL OR counted.route = asked.route)
        AND counted.expected_known > 0
),

fates AS (
    SELECT
        day,
        route,
        this_week,
        unit_group,
        unnest([
            {
                'judged_as': 'all',
                'labelled': expected_known,
                'not_retrieved': expected_not_retrieved,
                'cut': expected_cut,
                'uncited': expected_uncited,
                'cited': expected_cited,
                'unknown_citation': expected_unknown_citation
            },
            {
                'judged_as': 'wrong',
                'labelled': wrong_expected_known,
                'not_retrieved': wrong_expected_not_retrieved,
                'cut': wrong_expected_cut,
                'uncited': wrong_expected_uncited,
                'cited': wrong_expected_cited,
                'unknown_citation': wrong_expected_unknown_citation
            }
        ], recursive := true)
    FROM labelled_days
),

weeks_with_labels AS (
    SELECT
        route,
        judged_as,
        count(DISTINCT week_of(day)) AS weeks_before
    FROM fates
    WHERE NOT this_week AND labelled > 0
    GROUP BY ALL
),

per_group AS (
    SELECT
        route,
        judged_as,
        this_week,
        unit_group,
        unnest([
            {'step': 1, 'outcome': 'not_retrieved', 'requests': sum(not_retrieved)::BIGINT},
            {'step': 2, 'outcome': 'cut', 'requests': sum(cut)::BIGINT},
            {'step': 3, 'outcome': 'uncited', 'requests': sum(uncited)::BIGINT},
            {'step': 4, 'outcome': 'cited', 'requests': sum(cited)::BIGINT},
            {'step': 5, 'outcome': 'unknown_citation', 'requests': sum(unknown_citation)::BIGINT}
        ], recursive := true),
        sum(labelled)::BIGINT AS labelled
    FROM fates
    GROUP BY route, judged_as, this_week, unit_group
),

per_period AS (
    SELECT
        route,
        judged_as,
        this_week,
        step,
        outcome,
        sum(labelled)::BIGINT AS labelled,
        sum(requests)::BIGINT AS requests,
        sum(requests) / nullif(sum(labelled), 0) AS share,
        leave_one_out(
            list(requests ORDER BY unit_group), list(labelled ORDER BY unit_group)
        ) AS left_out
    FROM per_group
    GROUP BY ALL
    HAVING sum(labelled) > 0
)

SELECT
    now.route,
    now.judged_as,
    now.outcome,
    now.labelled,
    now.requests,
    now.share,
    rate_low(now.left_out) AS low,
    rate_high(now.left_out) AS high,
    before.share AS baseline_share
FROM per_period AS now
LEFT JOIN weeks_with_labels AS seen
    ON now.route = seen.route AND now.judged_as = seen.judged_as
LEFT JOIN per_period AS before
    ON
        now.route = before.route
        AND now.judged_as = before.judged_as
        AND now.step = before.step
        AND NOT before.this_week
        AND baseline_stands(seen.weeks_before)
WHERE now.this_week
ORDER BY now.route, now.judged_as, now.step
