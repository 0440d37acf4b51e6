-- Cells of a span of days: packed and cited chunks by stratum, place, ordering and unit group.
SELECT
    route,
    ordering_seen,
    k,
    packed_rank,
    place,
    prompt_bucket,
    unit_group,
    sum(packed)::BIGINT AS packed,
    sum(cited)::BIGINT AS cited
FROM cells
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ($model IS NULL OR model = $model)
    AND ($release IS NULL OR release = $release)
    AND packed_rank IS NOT NULL
    AND k > 2
GROUP BY ALL
ORDER BY ALL
