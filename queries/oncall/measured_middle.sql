-- What each answer adds to the position effect: chunks cited in the middle, and those that would be
-- at the rate of chunks of the same K and packed rank at the edges.
CREATE OR REPLACE TEMP TABLE measured AS
SELECT
    request.record_hash,
    request.requested_at,
    request.release = $release AS asked_release,
    hash(request.model, request.release, request.prompt_version, request.index_version, request.ordering_seen) AS labels,
    request.unit_group,
    request.unit_hash,
    middle.part,
    middle.whole
FROM requests AS request
INNER JOIN (
    SELECT
        chunk.record_hash,
        sum(edge.weight * chunk.cited::INTEGER) AS part,
        sum(edge.weight * edge.rate) AS whole
    FROM chunks AS chunk
    INNER JOIN edges AS edge
        ON
            edge.route = $route
            AND chunk.k = edge.k
            AND chunk.packed_rank = edge.packed_rank
            AND edge.later = CASE WHEN $release IS NULL THEN chunk.day >= $start ELSE chunk.release = $release END
    WHERE
        chunk.day >= $first_day
        AND chunk.day < $next_day
        AND chunk.route = $route
        AND ($release IS NULL OR chunk.release IN ($release, $against))
        AND chunk.place = 'middle'
        AND chunk.cited IS NOT NULL
    GROUP BY chunk.record_hash
) AS middle ON request.record_hash = middle.record_hash
WHERE
    request.day >= $first_day
    AND request.day < $next_day
    AND request.route = $route
    AND middle.whole > 0
