-- The weekly position effects of a route that could be estimated, before and since the start.
SELECT
    week >= $start AS since,
    value,
    se,
    size
FROM week_estimates
WHERE
    route = $route
    AND measure = 'dip'
    AND week >= $first_day
    AND week < $next_day
    AND value IS NOT NULL
    AND se IS NOT NULL
    AND size >= 1
ORDER BY week
