-- For a reader of an older store, which holds no counts made elsewhere: nothing, under their names.
CREATE TEMP VIEW elsewhere AS
SELECT NULL::DATE AS day, '' AS digest, 0 AS requests, '' AS engine, NULL::TIMESTAMP AS made_at
WHERE false;

CREATE TEMP VIEW origins AS
SELECT
    NULL::DATE AS day,
    '' AS route,
    '' AS model,
    '' AS release,
    '' AS rank_origin,
    '' AS position_origin,
    '' AS tokens_origin,
    '' AS cited_origin,
    '' AS requested_at_origin,
    false AS shows_middle,
    0::BIGINT AS requests
WHERE false;

CREATE TEMP VIEW declared AS
SELECT
    NULL::DATE AS day,
    '' AS route,
    '' AS ordering,
    '' AS ordering_seen,
    0 AS packed,
    0::BIGINT AS requests
WHERE false;

CREATE TEMP VIEW budgets AS
SELECT NULL::DATE AS day, '' AS route, 0::BIGINT AS budget_tokens, 0::BIGINT AS requests
WHERE false;

CREATE TEMP VIEW judged_slices AS
SELECT
    NULL::DATE AS day,
    '' AS route,
    0 AS unit_group,
    0 AS question_tokens,
    0 AS packed,
    0 AS prompt_tokens,
    0::BIGINT AS judged,
    0::BIGINT AS correct
WHERE false
