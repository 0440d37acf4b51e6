-- Answers of a span of days, and how many of them do not list what was packed.
SELECT
    coalesce(sum(answered), 0)::BIGINT AS answers,
    coalesce(sum(unlisted), 0)::BIGINT AS unlisted
FROM days
WHERE
    day >= $first_day
    AND day < $next_day
    AND ($route IS NULL OR route = $route)
    AND ($model IS NULL OR model = $model)
    AND ($release IS NULL OR release = $release)
