-- Context tokens and those of near-copies by week, route and model, scaled by sample weight and in
-- thousandths; beside them how many requests they are of, and how many chunks could be compared.
SELECT
    date_trunc('week', day)::DATE AS week,
    route,
    model,
    sum(requests)::BIGINT AS requests,
    sum(context_known)::BIGINT AS known,
    sum(compared)::BIGINT AS compared,
    sum(weighted_context_tokens)::BIGINT AS context_tokens,
    sum(weighted_redundant_tokens)::BIGINT AS redundant_tokens
FROM days
WHERE day >= $first_day AND day < $next_day
GROUP BY ALL
ORDER BY week, route, model
