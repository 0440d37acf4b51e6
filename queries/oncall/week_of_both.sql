-- The Monday of the last week in which both releases served requests of one route.
SELECT max(week) AS week
FROM (
    SELECT date_trunc('week', day)::DATE AS week
    FROM days
    WHERE release IN ($release, $against) AND ($route IS NULL OR route = $route)
    GROUP BY week, route
    HAVING count(DISTINCT release) = 2
) AS weeks
