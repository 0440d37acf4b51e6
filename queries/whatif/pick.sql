-- Pick the answered requests whose prompts can be packed again: every packed chunk ranked, by one
-- retrieval. Of each route at most $most, those with the smallest record hash: any, but always the same.
CREATE OR REPLACE TEMP TABLE replayed AS
WITH picked AS (
    SELECT
        request_id,
        record_hash,
        day,
        route,
        model,
        unit_group,
        weight,
        packed,
        prompt_tokens,
        budget_tokens,
        ordering_seen,
        cited IS NOT NULL AS citations_known
    FROM requests
    WHERE
        day >= $first_day
        AND day < $next_day
        AND ($route IS NULL OR route = $route)
        AND ($model IS NULL OR model = $model)
        AND ($release IS NULL OR release = $release)
        AND outcome = 'answered'
        AND exposure = 'packed'
        AND packed > 0
        AND ranked = packed
    QUALIFY row_number() OVER (PARTITION BY route ORDER BY record_hash, request_id) <= $most
)

SELECT
    row_number() OVER (ORDER BY route, record_hash, request_id) - 1 AS number,
    *
FROM picked
