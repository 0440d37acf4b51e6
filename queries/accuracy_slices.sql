-- How often answers were judged right, by question length, by packed chunks and by prompt tokens.
--
-- It reads single requests, so weeks whose facts are gone have no slices.
--
-- parameters
--   week   DATE            Monday that opens the week
--   route  VARCHAR = NULL  one route; NULL: every route, each for itself
--
-- columns
--   route     VARCHAR  the route; routes without judged requests are left out
--   slice_by  VARCHAR  question_tokens, packed or prompt_tokens
--   at_least  BIGINT   lower edge of the slice, inclusive; NULL: it was not logged
--   below     BIGINT   upper edge, exclusive; NULL: open
--   judged    BIGINT   judged answers
--   correct   BIGINT   of those, judged right
--   accuracy  DOUBLE   correct / judged, 0 to 1
--   low       DOUBLE   lower end of its 95 % interval
--   high      DOUBLE   upper end of its 95 % interval

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route
),

edges AS (
    SELECT slice_by, unnest(lower_edges) AS at_least
    FROM (
        VALUES
            ('question_tokens', [0, 10, 20, 40, 80]),
            ('packed', [0, 1, 5, 10, 20]),
            ('prompt_tokens', [0, 1500, 3000, 6000, 12000])
    ) AS named (slice_by, lower_edges)
),

slices AS (
    SELECT
        slice_by,
        at_least,
        lead(at_least) OVER (PARTITION BY slice_by ORDER BY at_least) AS below
    FROM edges
),

-- Where requests are elsewhere, they were counted there by the edges of the same slices.
known AS (
    SELECT
        day,
        route,
        unit_group,
        question_tokens,
        packed,
        prompt_tokens,
        1 AS judged,
        correct::INTEGER AS correct
    FROM requests
    WHERE outcome = 'answered' AND correct IS NOT NULL
    UNION ALL
    SELECT day, route, unit_group, question_tokens, packed, prompt_tokens, judged, correct
    FROM judged_slices
),

judged AS (
    SELECT
        request.route,
        request.unit_group,
        request.judged,
        request.correct,
        unnest([
            {'slice_by': 'question_tokens', 'size': request.question_tokens},
            {'slice_by': 'packed', 'size': request.packed::BIGINT},
            {'slice_by': 'prompt_tokens', 'size': request.prompt_tokens}
        ], recursive := true)
    FROM known AS request, asked
    WHERE
        request.day >= asked.week
        AND request.day < asked.week + 7
        AND (asked.route IS NULL OR request.route = asked.route)
),

per_group AS (
    SELECT
        judged.route,
        judged.slice_by,
        slices.at_least,
        slices.below,
        judged.unit_group,
        sum(judged.judged)::BIGINT AS judged,
        sum(judged.correct)::BIGINT AS correct
    FROM judged
    LEFT JOIN slices
        ON slices.slice_by = judged.slice_by
        AND judged.size >= slices.at_least
        AND (slices.below IS NULL OR judged.size < slices.below)
    GROUP BY ALL
),

per_slice AS (
    SELECT
        route,
        slice_by,
        at_least,
        below,
        sum(judged)::BIGINT AS judged,
        sum(correct)::BIGINT AS correct,
        leave_one_out(
            list(correct ORDER BY unit_group), list(judged ORDER BY unit_group)
        ) AS left_out
    FROM per_group
    GROUP BY ALL
)

SELECT
    route,
    slice_by,
    at_least::BIGINT AS at_least,
    below::BIGINT AS below,
    judged,
    correct,
    correct / judged AS accuracy,
    rate_low(left_out) AS low,
    rate_high(left_out) AS high
FROM per_slice
ORDER BY
    route,
    list_position(['question_tokens', 'packed', 'prompt_tokens'], slice_by),
    at_least NULLS LAST
