-- What is counted of a route's requests, before and since the start of a change.
SELECT
    day >= $start AS since,
    sum(requests)::BIGINT AS requests,
    sum(answered)::BIGINT AS answered,
    sum(without_context)::BIGINT AS without_context,
    sum(citations_known)::BIGINT AS citations_known,
    sum(known_packed)::BIGINT AS known_packed,
    sum(cited)::BIGINT AS cited,
    sum(citation_free)::BIGINT AS citation_free,
    sum(citations)::BIGINT AS citations,
    sum(stray)::BIGINT AS stray,
    sum(retrieved)::BIGINT AS retrieved,
    sum(packed)::BIGINT AS packed,
    sum(holes)::BIGINT AS holes,
    sum(context_known)::BIGINT AS context_known,
    sum(context_tokens)::BIGINT AS context_tokens,
    sum(budgeted)::BIGINT AS budgeted,
    sum(at_budget)::BIGINT AS at_budget,
    sum(prompt_compared)::BIGINT AS prompt_compared,
    sum(prompt_cut)::BIGINT AS prompt_cut,
    sum(compared)::BIGINT AS compared,
    sum(involved)::BIGINT AS involved,
    sum(documented)::BIGINT AS documented,
    sum(largest_document)::BIGINT AS largest_document,
    sum(citations_known + missing_citations)::BIGINT AS with_context,
    sum(missing_unit)::BIGINT AS missing_unit,
    sum(missing_prompt_tokens)::BIGINT AS missing_prompt_tokens,
    sum(missing_citations)::BIGINT AS missing_citations,
    sum(missing_rank)::BIGINT AS missing_rank,
    sum(missing_tokens)::BIGINT AS missing_tokens,
    sum(missing_document)::BIGINT AS missing_document,
    sum(missing_text)::BIGINT AS missing_text
FROM days
WHERE route = $route AND day >= $first_day AND day < $next_day
GROUP BY since
ORDER BY since
