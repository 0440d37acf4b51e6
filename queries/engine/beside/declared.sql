-- Count requests that declare an ordering, by it, by the ordering that was seen and by K.
SELECT
    request.day,
    request.route,
    request.ordering,
    request.ordering_seen,
    request.packed,
    CAST(count(*) AS BIGINT) AS requests
FROM requests AS request
INNER JOIN touched_days ON request.day = touched_days.day
WHERE request.ordering IS NOT NULL
GROUP BY request.day, request.route, request.ordering, request.ordering_seen, request.packed
