-- The chunks of the touched days.
SELECT chunks.*
FROM chunks
INNER JOIN touched_days ON chunks.day = touched_days.day
