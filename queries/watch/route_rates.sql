-- Requests, packed and cited chunks of every route, week and unit group.
SELECT
    route,
    date_trunc('week', day)::DATE AS week,
    unit_group,
    sum(requests)::BIGINT AS requests,
    sum(known_packed)::BIGINT AS packed,
    sum(cited)::BIGINT AS cited
FROM days
WHERE day >= $first_day AND day < $week::DATE + 7
GROUP BY ALL
ORDER BY route, week, unit_group
