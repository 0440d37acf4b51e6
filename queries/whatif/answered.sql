-- By route the answered requests of a span of days with something packed, and of them those whose
-- prompts cannot be packed again: a packed chunk has no rank, or several retrievals were packed.
-- Of those that can, `known` tell their citations.
SELECT
    route,
    count(*)::BIGINT AS answers,
    (count(*) FILTER (ranked < packed))::BIGINT AS unranked,
    (count(*) FILTER (ranked = packed AND cited IS NOT NULL))::BIGINT AS known,
    coalesce(sum(weight) FILTER (ranked = packed), 0)::BIGINT AS weight  -- thousandths
FROM requests
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ($model IS NULL OR model = $model)
    AND ($release IS NULL OR release = $release)
    AND outcome = 'answered'
    AND exposure = 'packed'
    AND packed > 0
GROUP BY route
ORDER BY route
