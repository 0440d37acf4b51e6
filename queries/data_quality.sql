-- What the log left out, field by field, and what was not logged but derived from something else.
--
-- What it was instead is read from single requests, so weeks whose facts are gone do not tell it.
--
-- parameters
--   week            DATE            Monday that opens the week
--   route           VARCHAR = NULL  one route; NULL: every route, each for itself
--   baseline_weeks  INTEGER = 13    how many weeks before it to compare with, pooled
--
-- columns
--   route                  VARCHAR  the route
--   field                  VARCHAR  the field of the record
--   of                     VARCHAR  what is counted: requests, answers or packed chunks
--   total                  BIGINT   how many of those there are
--   missing                BIGINT   of those, without the field; positions that the log skipped
--   missing_rate           DOUBLE   missing / total, 0 to 1
--   not_logged             BIGINT   requests that have it from elsewhere; NULL: the field has no origin
--   requests               BIGINT   every request of the week, which the next five are shares of
--   parsed_rate            DOUBLE   requests that have it parsed out of a text; NULL: no origin, or sealed
--   counted_rate           DOUBLE   requests that have it counted, as tokens by a tokenizer
--   derived_rate           DOUBLE   requests that have it derived, as a rank from the order of a list
--   estimated_rate         DOUBLE   requests that have it estimated, as tokens from a length
--   assumed_rate           DOUBLE   requests that have it assumed, as a position that is the rank again
--   baseline_missing_rate  DOUBLE   the rate in the baseline; NULL below six weeks with data

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route,
        $baseline_weeks::INTEGER AS baseline_weeks
),

counted AS (
    SELECT
        one.*,
        one.day >= asked.week AS this_week,
        one.citations_known + one.missing_citations AS citable
    FROM days AS one, asked
    WHERE
        one.day >= asked.week - 7 * asked.baseline_weeks
        AND one.day < asked.week + 7
        AND (asked.route IS NULL OR one.route = asked.route)
),

fields AS (
    SELECT
        day,
        route,
        requests AS of_all,
        this_week,
        unnest([
            {'field': 'requested_at', 'of': 'requests', 'total': requests, 'missing': 0::BIGINT,
                'not_logged': requested_at_not_logged},
            {'field': 'model', 'of': 'requests', 'total': requests,
                'missing': CASE WHEN model = 'unknown' THEN requests ELSE 0 END,
                'not_logged': NULL::BIGINT},
            {'field': 'release', 'of': 'requests', 'total': requests,
                'missing': CASE WHEN release = 'unknown' THEN requests ELSE 0 END,
                'not_logged': NULL},
            {'field': 'prompt_version', 'of': 'requests', 'total': requests,
                'missing': CASE WHEN prompt_version = 'unknown' THEN requests ELSE 0 END,
                'not_logged': NULL},
            {'field': 'index_version', 'of': 'requests', 'total': requests,
                'missing': CASE WHEN index_version = 'unknown' THEN requests ELSE 0 END,
                'not_logged': NULL},
            {'field': 'unit_id', 'of': 'requests', 'total': requests, 'missing': missing_unit,
                'not_logged': NULL},
            {'field': 'prompt_tokens', 'of': 'requests', 'total': requests,
                'missing': missing_prompt_tokens, 'not_logged': NULL},
            {'field': 'packed chunks', 'of': 'answers', 'total': answered, 'missing': unlisted,
                'not_logged': NULL},
            {'field': 'cited', 'of': 'answers', 'total': citable, 'missing': missing_citations,
                'not_logged': cited_not_logged},
            {'field': 'rank', 'of': 'packed chunks', 'total': packed, 'missing': missing_rank,
                'not_logged': rank_not_logged},
            {'field': 'position', 'of': 'packed chunks', 'total': packed + holes,
                'missing': holes, 'not_logged': position_not_logged},
            {'field': 'tokens', 'of': 'packed chunks', 'total': packed, 'missing': missing_tokens,
                'not_logged': tokens_not_logged},
            {'field': 'doc_id', 'of': 'packed chunks', 'total': packed,
                'missing': missing_document, 'not_logged': NULL},
            {'field': 'text', 'of': 'packed chunks', 'total': packed, 'missing': missing_text,
                'not_logged': NULL}
        ], recursive := true)
    FROM counted
),

-- Rollups keep only that a value is not as logged; what it is instead, the requests say.
came AS (
    SELECT
        one.route,
        one.rank_origin,
        one.position_origin,
        one.tokens_origin,
        one.cited_origin,
        one.requested_at_origin,
        count(*) AS requests
    FROM requests AS one, asked
    WHERE one.day >= asked.week AND one.day < asked.week + 7
    GROUP BY ALL
    UNION ALL
    SELECT
        one.route,
        one.rank_origin,
        one.position_origin,
        one.tokens_origin,
        one.cited_origin,
        one.requested_at_origin,
        one.requests
    FROM origins AS one, asked
    WHERE one.day >= asked.week AND one.day < asked.week + 7
),

kinds AS (
    SELECT
        route,
        field,
        sum(CASE WHEN origin = 'parsed' THEN requests ELSE 0 END) AS parsed,
        sum(CASE WHEN origin = 'counted' THEN requests ELSE 0 END) AS counted,
        sum(CASE WHEN origin = 'derived' THEN requests ELSE 0 END) AS derived,
        sum(CASE WHEN origin = 'estimated' THEN requests ELSE 0 END) AS estimated,
        sum(CASE WHEN origin = 'assumed' THEN requests ELSE 0 END) AS assumed
    FROM (
        SELECT
            route,
            requests,
            unnest([
                {'field': 'rank', 'origin': rank_origin},
                {'field': 'position', 'origin': position_origin},
                {'field': 'tokens', 'origin': tokens_origin},
                {'field': 'cited', 'origin': cited_origin},
                {'field': 'requested_at', 'origin': requested_at_origin}
            ], recursive := true)
        FROM came
    )
    GROUP BY route, field
)

SELECT
    route,
    field,
    of,
    sum(CASE WHEN this_week THEN total ELSE 0 END)::BIGINT AS total,
    sum(CASE WHEN this_week THEN missing ELSE 0 END)::BIGINT AS missing,
    sum(CASE WHEN this_week THEN missing END)
    / nullif(sum(CASE WHEN this_week THEN total END), 0) AS missing_rate,
    sum(CASE WHEN this_week THEN not_logged END)::BIGINT AS not_logged,
    sum(CASE WHEN this_week THEN of_all END)::BIGINT AS requests,
    any_value(parsed) / sum(CASE WHEN this_week THEN of_all END) AS parsed_rate,
    any_value(counted) / sum(CASE WHEN this_week THEN of_all END) AS counted_rate,
    any_value(derived) / sum(CASE WHEN this_week THEN of_all END) AS derived_rate,
    any_value(estimated) / sum(CASE WHEN this_week THEN of_all END) AS estimated_rate,
    any_value(assumed) / sum(CASE WHEN this_week THEN of_all END) AS assumed_rate,
    CASE
        WHEN
            baseline_stands(count(DISTINCT CASE WHEN NOT this_week THEN week_of(day) END))
            THEN
                sum(CASE WHEN NOT this_week THEN missing END)
                / nullif(sum(CASE WHEN NOT this_week THEN total END), 0)
    END AS baseline_missing_rate
FROM fields
LEFT JOIN kinds USING (route, field)
GROUP BY route, field, of
HAVING bool_or(this_week)
ORDER BY route, of, field
