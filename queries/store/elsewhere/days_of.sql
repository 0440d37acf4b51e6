-- The days of a route in [first_day, next_day) that were counted elsewhere, and how much was counted.
SELECT
    day,
    sum(requests)::BIGINT AS requests,
    sum(packed)::BIGINT AS packed
FROM days
WHERE route = $route AND day >= $first_day AND day < $next_day
GROUP BY day
ORDER BY day
