-- What each file brought, the newest first.
--
-- columns
--   batch           VARCHAR    its name: first 32 hex digits of the file's SHA-256
--   file            VARCHAR    path as it was given
--   format          VARCHAR    jsonl, nested_parquet, flat_parquet or flat_csv
--   bytes           BIGINT     size of the file as stored
--   state           VARCHAR    loaded; cut: the file ended early; set_aside: nothing of it is loaded
--   read            BIGINT     lines that held something
--   loaded          BIGINT     of those, lines whose record counts
--   duplicate       BIGINT     of those, lines whose record another line brings already
--   superseded      BIGINT     of those, lines whose record lost to another of the same request
--   rejected        BIGINT     of those, lines that could not become a record
--   judgements      BIGINT     of the lines read, judgements
--   unknown_fields  BIGINT     fields that the record does not have
--   loaded_at       TIMESTAMP  when the batch was published, UTC

SELECT
    batch,
    file,
    format,
    bytes,
    state,
    read,
    loaded,
    duplicate,
    superseded,
    rejected,
    judgements,
    unknown_fields,
    loaded_at
FROM batches
ORDER BY loaded_at DESC, file, batch
