-- Packed and cited chunks of a route by K and exact position, before and since the start.
SELECT
    day >= $start AS since,
    k,
    position,
    sum(packed)::BIGINT AS packed,
    sum(cited)::BIGINT AS cited
FROM cells_by_position
WHERE route = $route AND day >= $first_day AND day < $next_day
GROUP BY since, k, position
ORDER BY since, k, position
