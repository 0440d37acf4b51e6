-- The Monday of the last week in which both releases served enough requests of one route, or, where
-- no week has enough, of the last in which they served any.
SELECT coalesce(max(week) FILTER (WHERE fewest >= $least), max(week)) AS week
FROM (
    SELECT
        week,
        route,
        min(requests) AS fewest
    FROM (
        SELECT
            date_trunc('week', day)::DATE AS week,
            route,
            release,
            sum(requests) AS requests
        FROM days
        WHERE release IN ($release, $against) AND ($route IS NULL OR route = $route)
        GROUP BY ALL
    ) AS served
    GROUP BY week, route
    HAVING count(*) = 2
) AS weeks
