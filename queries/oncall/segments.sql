-- What is measured on both sides by route, model, release and unit group, from the daily counts of
-- whole days: those of [first_day, before_to) and of [since_from, next_day), or of two releases.
SELECT
    CASE WHEN $release IS NULL THEN day >= $since_from ELSE release = $release END AS since,
    route,
    model,
    release,
    unit_group,
    sum(part)::DOUBLE AS part,
    sum(whole)::DOUBLE AS whole
FROM (
    SELECT
        day,
        route,
        model,
        release,
        unit_group,
        CASE $measure
            WHEN 'citation_free_rate' THEN citation_free
            WHEN 'stray_rate' THEN stray
            WHEN 'involved_rate' THEN involved
            WHEN 'largest_document_share' THEN largest_document
            WHEN 'accuracy' THEN correct
            WHEN 'missing_unit_rate' THEN missing_unit
            WHEN 'missing_prompt_tokens_rate' THEN missing_prompt_tokens
            WHEN 'missing_citations_rate' THEN missing_citations
            WHEN 'missing_rank_rate' THEN missing_rank
            WHEN 'missing_tokens_rate' THEN missing_tokens
            WHEN 'missing_document_rate' THEN missing_document
            WHEN 'missing_text_rate' THEN missing_text
        END AS part,
        CASE
            WHEN $measure = 'citation_free_rate' THEN citations_known
            WHEN $measure = 'stray_rate' THEN citations
            WHEN $measure = 'involved_rate' THEN compared
            WHEN $measure = 'largest_document_share' THEN documented
            WHEN $measure = 'accuracy' THEN judged
            WHEN $measure IN ('missing_unit_rate', 'missing_prompt_tokens_rate') THEN requests
            WHEN $measure = 'missing_citations_rate' THEN citations_known + missing_citations
            WHEN starts_with($measure, 'missing_') THEN packed
        END AS whole
    FROM days
    UNION ALL
    SELECT day, route, model, release, unit_group, CASE WHEN context_bin > $long_bin THEN requests ELSE 0 END, requests
    FROM lengths
    WHERE $measure = 'ln_p95_context_tokens'
    UNION ALL
    SELECT day, route, model, release, unit_group, CASE WHEN place = replace($measure, 'position_', '') THEN cited ELSE 0 END, cited
    FROM cells
    WHERE starts_with($measure, 'position_') AND k > 2
    UNION ALL
    SELECT day, route, model, release, unit_group, cited * log2(rank), cited
    FROM ranks
    WHERE $measure = 'mean_log2_cited_rank' AND cited > 0
    UNION ALL
    SELECT day, route, model, release, unit_group, CASE WHEN list_contains($shown, ordering_seen) THEN packed ELSE 0 END, packed
    FROM cells_by_position
    WHERE starts_with($measure, 'ordering_') AND position = 1 AND list_contains($telling, ordering_seen)
) AS counted
WHERE
    part IS NOT NULL
    AND day >= $first_day
    AND day < $next_day
    AND (day < $before_to OR day >= $since_from)
    AND ($route IS NULL OR route = $route)
    AND ($release IS NULL OR release IN ($release, $against))
GROUP BY ALL
HAVING sum(whole) > 0
ORDER BY ALL
