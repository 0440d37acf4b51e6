-- Count requests by where their values came from, and whether they could show a middle.
SELECT
    request.day,
    request.route,
    request.model,
    request.release,
    request.rank_origin,
    request.position_origin,
    request.tokens_origin,
    request.cited_origin,
    request.requested_at_origin,
    CASE WHEN request.cited IS NOT NULL AND request.packed > 2 THEN TRUE ELSE FALSE END AS shows_middle,
    CAST(count(*) AS BIGINT) AS requests
FROM requests AS request
INNER JOIN touched_days ON request.day = touched_days.day
GROUP BY
    request.day,
    request.route,
    request.model,
    request.release,
    request.rank_origin,
    request.position_origin,
    request.tokens_origin,
    request.cited_origin,
    request.requested_at_origin,
    CASE WHEN request.cited IS NOT NULL AND request.packed > 2 THEN TRUE ELSE FALSE END
