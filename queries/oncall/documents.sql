-- What is measured on both sides by document, whole days; NULL gathers the chunks that name none.
SELECT
    CASE WHEN $release IS NULL THEN day >= $since_from ELSE release = $release END AS since,
    doc_id,
    sum(CASE
        WHEN $measure = 'involved_rate' THEN (copies > 1)::INTEGER
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
    AND (day < $before_to OR day >= $since_from)
    AND ($release IS NULL OR release IN ($release, $against))
    AND CASE
        WHEN $measure = 'involved_rate' THEN copies IS NOT NULL
        WHEN $measure = 'mean_log2_cited_rank' THEN cited AND rank IS NOT NULL
        ELSE cited AND k > 2
    END
GROUP BY ALL
ORDER BY ALL
