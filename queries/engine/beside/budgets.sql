-- Count requests whose context tokens are known by the budget of their packed chunks.
SELECT
    request.day,
    request.route,
    request.budget_tokens,
    CAST(count(*) AS BIGINT) AS requests
FROM requests AS request
INNER JOIN touched_days ON request.day = touched_days.day
WHERE request.budget_tokens IS NOT NULL AND request.context_tokens IS NOT NULL
GROUP BY request.day, request.route, request.budget_tokens
