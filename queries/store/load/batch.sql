-- Enter the batch, its counts of lines still to be settled.
INSERT INTO batches BY NAME
SELECT
    $batch AS batch,
    $file AS file,
    $format AS format,
    $bytes AS bytes,
    $state AS state,
    $read AS read,
    0 AS loaded,
    0 AS duplicate,
    0 AS superseded,
    $rejected AS rejected,
    $judgements AS judgements,
    $unknown_fields AS unknown_fields,
    $loaded_at AS loaded_at
