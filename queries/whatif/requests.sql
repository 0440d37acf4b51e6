-- The requests that were picked, by number.
SELECT
    route,
    model,
    unit_group,
    weight,
    packed,
    prompt_tokens,
    budget_tokens,
    ordering_seen,
    citations_known
FROM replayed
ORDER BY number
