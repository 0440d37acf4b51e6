-- Whether another batch, or another line of this one, carries a request of the batch.
SELECT count(*) > 0
FROM (
    SELECT request_id
    FROM memberships
    WHERE request_id IN (SELECT request_id FROM memberships WHERE batch = $batch)
    GROUP BY request_id
    HAVING count(*) > 1
)
