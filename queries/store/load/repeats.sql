-- Find the staged lines whose record is held already or stood on an earlier line.
CREATE OR REPLACE TEMP TABLE repeated_lines AS
WITH held AS (
    SELECT request_id, record_hash
    FROM memberships
    WHERE batch <> $batch AND request_id IN (SELECT request_id FROM staged_requests)
),

firsts AS (
    SELECT line FROM memberships WHERE batch = $batch
)

SELECT line FROM staged_requests WHERE line NOT IN (SELECT line FROM firsts)
UNION
SELECT staged.line FROM staged_requests AS staged JOIN held USING (request_id, record_hash)
