-- Count the batch: nothing it carries is carried by another.
UPDATE batches
SET
    loaded = (SELECT count(*) FROM memberships WHERE batch = $batch)
        + (SELECT count(*) FROM judgements WHERE batch = $batch),
    duplicate = 0,
    superseded = 0
WHERE batch = $batch
