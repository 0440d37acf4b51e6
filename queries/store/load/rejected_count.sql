-- How many lines of the batch are rejected.
SELECT count(*) FROM rejected_lines WHERE batch = $batch
