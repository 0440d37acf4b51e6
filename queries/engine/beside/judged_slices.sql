-- Count judged answers by the slices of accuracy_slices, each size by the lower edge of its slice.
SELECT
    day,
    route,
    unit_group,
    question_tokens,
    packed,
    prompt_tokens,
    CAST(count(*) AS BIGINT) AS judged,
    CAST(sum(CASE WHEN correct THEN 1 ELSE 0 END) AS BIGINT) AS correct
FROM (
    SELECT
        request.day,
        request.route,
        request.unit_group,
        CASE
            WHEN request.question_tokens >= 80 THEN 80
            WHEN request.question_tokens >= 40 THEN 40
            WHEN request.question_tokens >= 20 THEN 20
            WHEN request.question_tokens >= 10 THEN 10
            WHEN request.question_tokens >= 0 THEN 0
        END AS question_tokens,
        CASE
            WHEN request.packed >= 20 THEN 20
            WHEN request.packed >= 10 THEN 10
            WHEN request.packed >= 5 THEN 5
            WHEN request.packed >= 1 THEN 1
            WHEN request.packed >= 0 THEN 0
        END AS packed,
        CASE WHEN request.prompt_bucket >= 0 THEN request.prompt_bucket END AS prompt_tokens,
        request.correct
    FROM requests AS request
    INNER JOIN touched_days ON request.day = touched_days.day
    WHERE request.outcome = 'answered' AND request.correct IS NOT NULL
) AS sliced
GROUP BY day, route, unit_group, question_tokens, packed, prompt_tokens
