-- Days whose brought facts are others than were counted: by their labels, or because packed chunks are lacking.
WITH counted AS (
    SELECT day, model, release, prompt_version, index_version, ordering_seen, sum(requests)::BIGINT AS requests
    FROM days
    WHERE route = $route AND list_contains($days::DATE[], day)
    GROUP BY ALL
),

found AS (
    SELECT day, model, release, prompt_version, index_version, ordering_seen, count(*)::BIGINT AS requests
    FROM requests
    GROUP BY ALL
)

SELECT day FROM (FROM counted EXCEPT FROM found)
UNION
SELECT day FROM (FROM found EXCEPT FROM counted)
UNION
SELECT request.day
FROM (SELECT day, sum(coalesce(packed, 0)) AS packed FROM requests GROUP BY day) AS request
LEFT JOIN (SELECT day, count(k) AS packed FROM chunks GROUP BY day) AS chunk ON request.day = chunk.day
WHERE $with_chunks AND request.packed <> coalesce(chunk.packed, 0)
ORDER BY day
