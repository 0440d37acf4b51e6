-- Count requests that have a context by the bin of their context tokens.
SELECT
    request.day,
    request.route,
    request.model,
    request.release,
    request.unit_group,
    request.context_bin,
    CAST(count(*) AS BIGINT) AS requests
FROM requests AS request
INNER JOIN touched_days ON request.day = touched_days.day
WHERE request.context_bin IS NOT NULL AND request.packed > 0
GROUP BY
    request.day,
    request.route,
    request.model,
    request.release,
    request.unit_group,
    request.context_bin
