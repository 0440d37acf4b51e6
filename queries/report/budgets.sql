-- The median budget of the packed chunks by week and route, of requests with known context tokens.
-- A budget stands in the facts alone: of sealed days there is none, and of a week sealed in part it
-- is that of the days left.
WITH counted AS (
    SELECT
        date_trunc('week', day)::DATE AS week,
        route,
        budget_tokens,
        sum(requests) AS requests
    FROM (
        SELECT day, route, budget_tokens, 1 AS requests
        FROM requests
        WHERE budget_tokens IS NOT NULL AND context_tokens IS NOT NULL
        UNION ALL
        SELECT day, route, budget_tokens, requests FROM budgets
    )
    WHERE day >= $first_day AND day < $next_day
    GROUP BY ALL
),

running AS (
    SELECT
        week,
        route,
        budget_tokens,
        sum(requests) OVER (PARTITION BY week, route ORDER BY budget_tokens) AS upto,
        sum(requests) OVER (PARTITION BY week, route) AS total
    FROM counted
)

SELECT
    week,
    route,
    min(budget_tokens) AS budget
FROM running
WHERE 2 * upto >= total
GROUP BY week, route
ORDER BY week, route
