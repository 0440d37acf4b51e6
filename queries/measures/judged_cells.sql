-- Cells of a span of days as `cells`, of judged requests alone: packed are the expected chunks of
-- requests with exactly one of them packed, cited those whose answer is right.
SELECT
    route,
    ordering_seen,
    k,
    packed_rank,
    place,
    prompt_bucket,
    unit_group,
    sum(judged)::BIGINT AS packed,
    sum(correct)::BIGINT AS cited
FROM cells
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ($model IS NULL OR model = $model)
    AND ($release IS NULL OR release = $release)
    AND judged > 0
    AND packed_rank IS NOT NULL
    AND k > 2
GROUP BY ALL
ORDER BY ALL
