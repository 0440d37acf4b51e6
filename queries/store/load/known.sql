-- Of a file's content, whether it is in the store and how it fared.
SELECT file, state FROM batches WHERE batch = $batch
