-- What is counted of the requests of a span of days, by route and unit group.
SELECT
    route,
    unit_group,
    sum(requests)::BIGINT AS requests,
    sum(answered)::BIGINT AS answered,
    sum(citations_known)::BIGINT AS citations_known,
    sum(citation_free)::BIGINT AS citation_free,
    sum(citations)::BIGINT AS citations,
    sum(stray)::BIGINT AS stray,
    sum(compared)::BIGINT AS compared,
    sum(involved)::BIGINT AS involved,
    sum(documented)::BIGINT AS documented,
    sum(largest_document)::BIGINT AS largest_document,
    sum(judged)::BIGINT AS judged,
    sum(correct)::BIGINT AS correct,
    sum(packed)::BIGINT AS packed,
    sum(citations_known + missing_citations)::BIGINT AS with_context,
    sum(without_context)::BIGINT AS without_context,
    sum(missing_unit)::BIGINT AS missing_unit,
    sum(missing_prompt_tokens)::BIGINT AS missing_prompt_tokens,
    sum(missing_citations)::BIGINT AS missing_citations,
    sum(missing_rank)::BIGINT AS missing_rank,
    sum(missing_tokens)::BIGINT AS missing_tokens,
    sum(missing_document)::BIGINT AS missing_document,
    sum(missing_text)::BIGINT AS missing_text
FROM days
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ($model IS NULL OR model = $model)
    AND ($release IS NULL OR release = $release)
GROUP BY route, unit_group
ORDER BY route, unit_group
