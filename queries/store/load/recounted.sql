-- Name the batch whose counts, and those of the batches it shares with, are to be settled.
CREATE OR REPLACE TEMP TABLE recounted AS SELECT $batch AS batch
