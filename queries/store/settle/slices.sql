-- Cut the contested requests into slices of about so many chunks.
CREATE OR REPLACE TEMP TABLE sliced_requests AS
SELECT
    request_id,
    CAST(sum(sum(retrieved) + 1) OVER (ORDER BY request_id) // $chunks AS BIGINT) AS slice
FROM (
    SELECT request_id, retrieved
    FROM requests
    WHERE request_id IN (SELECT request_id FROM contested_requests)
    UNION ALL
    SELECT request_id, request.retrieved
    FROM versions
    WHERE request_id IN (SELECT request_id FROM contested_requests)
)
GROUP BY request_id
