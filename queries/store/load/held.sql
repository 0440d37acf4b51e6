-- The contents that the store holds, each with the format it was read as; one that was set aside is not held.
SELECT batch, format FROM batches WHERE state <> 'set_aside'
