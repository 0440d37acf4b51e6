-- Requests and tokens of a span of days by route and model, in thousandths: sampled logs count up.
SELECT
    route,
    model,
    sum(weight)::BIGINT AS requests,
    sum(weighted_context_tokens)::BIGINT AS context_tokens,
    sum(weighted_redundant_tokens)::BIGINT AS redundant_tokens
FROM days
WHERE day >= $first_day AND day < $next_day
GROUP BY ALL
ORDER BY route, model
