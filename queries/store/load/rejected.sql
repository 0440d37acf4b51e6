-- Keep the rejected lines of the batch.
INSERT INTO rejected_lines SELECT * FROM staged_rejected
