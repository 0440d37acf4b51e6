-- The batches whose hash begins as asked.
SELECT batch, file, format, bytes, state FROM batches WHERE starts_with(batch, $name) ORDER BY batch
