-- The weeks in which the store holds requests, the newest first.
--
-- columns
--   week       DATE    Monday that opens the week
--   requests   BIGINT  requests of the week, on every route
--   first_day  DATE    first day of the week with a request
--   last_day   DATE    last day of the week with a request

SELECT
    week_of(day) AS week,
    sum(requests)::BIGINT AS requests,
    min(day) AS first_day,
    max(day) AS last_day
FROM days
GROUP BY ALL
ORDER BY week DESC
