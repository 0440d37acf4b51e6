-- Lines read and rejected in the files that were loaded before and since the start.
SELECT
    loaded_at >= $start AS since,
    sum(read)::BIGINT AS read,
    sum(rejected)::BIGINT AS rejected,
    count(*) FILTER (state = 'set_aside')::BIGINT AS set_aside
FROM batches
WHERE loaded_at >= $first_day AND loaded_at < $next_day
GROUP BY since
ORDER BY since
