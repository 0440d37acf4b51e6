-- The settled counts of a batch.
SELECT read, loaded, duplicate, superseded, rejected, judgements FROM batches WHERE batch = $batch
