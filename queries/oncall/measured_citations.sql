-- What each answer adds to a measure of cited chunks: where they stood, or the log2 of their ranks.
CREATE OR REPLACE TEMP TABLE measured AS
SELECT
    request.record_hash,
    request.requested_at,
    request.release = $release AS asked_release,
    hash(request.model, request.release, request.prompt_version, request.index_version, request.ordering_seen) AS labels,
    request.unit_group,
    request.unit_hash,
    cited.part,
    cited.whole
FROM requests AS request
INNER JOIN (
    SELECT
        record_hash,
        sum(CASE
            WHEN $measure = 'mean_log2_cited_rank' THEN log2(rank)
            WHEN place = replace($measure, 'position_', '') THEN 1
            ELSE 0
        END)::DOUBLE AS part,
        count(*)::DOUBLE AS whole
    FROM chunks
    WHERE
        day >= $first_day
        AND day < $next_day
        AND route = $route
        AND ($release IS NULL OR release IN ($release, $against))
        AND cited
        AND CASE WHEN $measure = 'mean_log2_cited_rank' THEN rank IS NOT NULL ELSE k > 2 END
    GROUP BY record_hash
) AS cited ON request.record_hash = cited.record_hash
WHERE
    request.day >= $first_day
    AND request.day < $next_day
    AND request.route = $route
