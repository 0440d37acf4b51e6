-- Take out again the records of the batch that another batch brought already.
CREATE OR REPLACE TEMP TABLE repeated_records AS
SELECT DISTINCT request_id, record_hash
FROM memberships
WHERE
    batch <> $batch
    AND (request_id, record_hash) IN (
        SELECT (request_id, record_hash) FROM memberships WHERE batch = $batch
    );

DELETE FROM chunks
WHERE
    rowid > (SELECT chunk FROM facts_before)
    AND (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM repeated_records);

DELETE FROM requests
WHERE
    rowid > (SELECT request FROM facts_before)
    AND (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM repeated_records)
