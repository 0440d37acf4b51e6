-- Take an earlier setting aside of the same content out of the books.
DELETE FROM rejected_lines WHERE batch = $batch;
DELETE FROM batches WHERE batch = $batch
