-- What each route logged on each day of a span, and what of it lacked a field.
SELECT
    day,
    route,
    sum(requests)::BIGINT AS requests,
    sum(citations_known + missing_citations)::BIGINT AS answers,
    sum(packed)::BIGINT AS packed,
    sum(CASE WHEN model = 'unknown' THEN requests ELSE 0 END)::BIGINT AS missing_model,
    sum(CASE WHEN release = 'unknown' THEN requests ELSE 0 END)::BIGINT AS missing_release,
    sum(CASE WHEN prompt_version = 'unknown' THEN requests ELSE 0 END)::BIGINT
        AS missing_prompt_version,
    sum(CASE WHEN index_version = 'unknown' THEN requests ELSE 0 END)::BIGINT
        AS missing_index_version,
    sum(missing_unit)::BIGINT AS missing_unit,
    sum(missing_prompt_tokens)::BIGINT AS missing_prompt_tokens,
    sum(missing_citations)::BIGINT AS missing_citations,
    sum(missing_rank)::BIGINT AS missing_rank,
    sum(missing_tokens)::BIGINT AS missing_tokens,
    sum(missing_document)::BIGINT AS missing_document,
    sum(missing_text)::BIGINT AS missing_text
FROM days
WHERE day >= $first_day AND day < $next_day
GROUP BY ALL
ORDER BY day, route
