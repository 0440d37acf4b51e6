-- When the oldest batch was loaded; NULL where there is none.
SELECT min(loaded_at) AS loaded_at FROM batches
