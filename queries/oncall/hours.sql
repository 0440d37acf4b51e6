-- What is measured in each hour, UTC; hours without requests have no row.
SELECT
    date_trunc('hour', requested_at) AS hour,
    coalesce(sum(part), 0) AS part,
    sum(whole) AS whole,
    count(*)::BIGINT AS requests
FROM measured
GROUP BY hour
ORDER BY hour
