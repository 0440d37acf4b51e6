-- Take out again what the batch brought twice, and what another batch brought already.
CREATE OR REPLACE TEMP TABLE doubled_records AS
SELECT request_id, record_hash
FROM memberships
WHERE batch = $batch
GROUP BY request_id, record_hash
HAVING count(*) > 1;

DELETE FROM chunk_facts
WHERE rowid IN (
    SELECT rowid
    FROM chunk_facts
    WHERE
        rowid > (SELECT chunk FROM facts_before)
        AND (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM doubled_records)
    QUALIFY row_number() OVER (PARTITION BY request_id, record_hash, retrieval_id, chunk_id ORDER BY rowid) > 1
);

DELETE FROM requests
WHERE rowid IN (
    SELECT rowid
    FROM requests
    WHERE
        rowid > (SELECT request FROM facts_before)
        AND (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM doubled_records)
    QUALIFY row_number() OVER (PARTITION BY request_id, record_hash ORDER BY rowid) > 1
);

CREATE OR REPLACE TEMP TABLE carried AS
SELECT request_id, record_hash, batch, min(line) AS line, count(*) AS lines
FROM memberships
WHERE batch = $batch AND request_id IN (SELECT request_id FROM doubled_records)
GROUP BY request_id, record_hash, batch;

DELETE FROM memberships
WHERE batch = $batch AND request_id IN (SELECT request_id FROM doubled_records);

INSERT INTO memberships FROM carried;

CREATE OR REPLACE TEMP TABLE repeated_records AS
SELECT DISTINCT request_id, record_hash
FROM memberships
WHERE
    batch <> $batch
    AND (request_id, record_hash) IN (
        SELECT (request_id, record_hash) FROM memberships WHERE batch = $batch
    );

DELETE FROM chunk_facts
WHERE
    rowid > (SELECT chunk FROM facts_before)
    AND (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM repeated_records);

DELETE FROM requests
WHERE
    rowid > (SELECT request FROM facts_before)
    AND (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM repeated_records)
