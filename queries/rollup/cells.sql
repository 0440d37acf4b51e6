-- Count packed chunks of answered requests by stratum (route, K, packed rank), place and unit group.
--
-- Expected chunks count where exactly one of the request's is packed: only then has the answer one place.
SELECT
    chunk.day,
    chunk.route,
    chunk.model,
    chunk.release,
    chunk.ordering_seen,
    chunk.k,
    chunk.packed_rank,
    chunk.place,
    chunk.prompt_bucket,
    chunk.unit_group,
    CAST(sum(CASE WHEN chunk.cited IS NOT NULL THEN 1 ELSE 0 END) AS BIGINT) AS packed,
    CAST(sum(CASE WHEN chunk.cited THEN 1 ELSE 0 END) AS BIGINT) AS cited,
    CAST(sum(CASE WHEN answer.request_id IS NOT NULL THEN 1 ELSE 0 END) AS BIGINT) AS expected,
    CAST(sum(CASE WHEN answer.correct IS NOT NULL THEN 1 ELSE 0 END) AS BIGINT) AS judged,
    CAST(sum(CASE WHEN answer.correct THEN 1 ELSE 0 END) AS BIGINT) AS correct
FROM chunks AS chunk
INNER JOIN touched_days ON chunk.day = touched_days.day
LEFT JOIN (
    SELECT requests.request_id, requests.correct
    FROM requests
    INNER JOIN touched_days ON requests.day = touched_days.day
    WHERE requests.expected_place IS NOT NULL AND requests.expected_place <> 'several'
) AS answer
    ON chunk.expected AND chunk.request_id = answer.request_id
WHERE chunk.position IS NOT NULL AND chunk.outcome = 'answered'
GROUP BY
    chunk.day,
    chunk.route,
    chunk.model,
    chunk.release,
    chunk.ordering_seen,
    chunk.k,
    chunk.packed_rank,
    chunk.place,
    chunk.prompt_bucket,
    chunk.unit_group
