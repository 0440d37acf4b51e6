-- Retrieved, packed and cited chunks of a route by retrieved rank, before and since the start.
SELECT
    day >= $start AS since,
    rank,
    sum(retrieved)::BIGINT AS retrieved,
    sum(packed)::BIGINT AS packed,
    sum(cited)::BIGINT AS cited
FROM ranks
WHERE route = $route AND day >= $first_day AND day < $next_day
GROUP BY since, rank
ORDER BY since, rank
