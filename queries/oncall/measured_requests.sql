-- What each request adds to a measure of requests, packed chunks or citations: part / whole.
CREATE OR REPLACE TEMP TABLE measured AS
SELECT *
FROM (
    SELECT
        record_hash,
        requested_at,
        release = $release AS asked_release,
        hash(model, release, prompt_version, index_version, ordering_seen) AS labels,
        unit_group,
        unit_hash,
        CASE CASE WHEN starts_with($measure, 'ordering_') THEN 'ordering' ELSE $measure END
            WHEN 'ordering' THEN list_contains($shown, ordering_seen)
            WHEN 'citation_free_rate' THEN cited = 0
            WHEN 'stray_rate' THEN stray
            WHEN 'involved_rate' THEN involved
            WHEN 'largest_document_share' THEN largest_document
            WHEN 'accuracy' THEN correct
            WHEN 'ln_p95_context_tokens' THEN context_bin > $long_bin
            WHEN 'missing_unit_rate' THEN NOT unit_logged
            WHEN 'missing_prompt_tokens_rate' THEN prompt_tokens IS NULL
            WHEN 'missing_citations_rate' THEN cited IS NULL
            WHEN 'missing_rank_rate' THEN missing_rank
            WHEN 'missing_tokens_rate' THEN missing_tokens
            WHEN 'missing_document_rate' THEN missing_document
            WHEN 'missing_text_rate' THEN missing_text
        END::DOUBLE AS part,
        CASE CASE WHEN starts_with($measure, 'ordering_') THEN 'ordering' ELSE $measure END
            WHEN 'ordering' THEN cited IS NOT NULL AND list_contains($telling, ordering_seen)
            WHEN 'citation_free_rate' THEN cited IS NOT NULL
            WHEN 'stray_rate' THEN citations
            WHEN 'involved_rate' THEN compared
            WHEN 'largest_document_share' THEN documented
            WHEN 'accuracy' THEN outcome = 'answered' AND correct IS NOT NULL
            WHEN 'ln_p95_context_tokens' THEN context_bin IS NOT NULL AND packed > 0
            WHEN 'missing_unit_rate' THEN 1
            WHEN 'missing_prompt_tokens_rate' THEN 1
            WHEN 'missing_citations_rate' THEN outcome = 'answered' AND packed > 0
            ELSE packed
        END::DOUBLE AS whole
    FROM requests
    WHERE
        day >= $first_day
        AND day < $next_day
        AND route = $route
        AND ($release IS NULL OR release IN ($release, $against))
) AS request
WHERE whole > 0
