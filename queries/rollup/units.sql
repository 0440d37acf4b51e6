-- Keep the 40 smallest unit hashes of each day and scope: enough to count distinct units up to 40.
SELECT day, route, model, release, unit_hash
FROM (
    SELECT
        day,
        route,
        model,
        release,
        unit_hash,
        row_number() OVER (PARTITION BY day, route, model, release ORDER BY unit_hash) AS place
    FROM (
        SELECT DISTINCT
            request.day,
            request.route,
            request.model,
            request.release,
            request.unit_hash
        FROM requests AS request
        INNER JOIN touched_days ON request.day = touched_days.day
    ) AS distinct_units
) AS ordered
WHERE place <= 40
