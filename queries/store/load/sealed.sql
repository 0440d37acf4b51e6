-- Reject the lines of the batch whose day, or whose request, is sealed.
CREATE OR REPLACE TEMP TABLE late_records AS
SELECT request.request_id, request.record_hash, request.day
FROM requests AS request, settings
WHERE
    request.rowid > (SELECT request FROM facts_before)
    AND (
        request.day < sealed_before
        OR md5_number_lower(request.request_id) IN (SELECT fingerprint FROM sealed_requests)
    );

INSERT INTO rejected_lines
SELECT
    batch,
    line,
    NULL AS byte_offset,
    'requested_at' AS path,
    CASE
        WHEN day < sealed_before THEN format('{} is sealed since {}', day, sealed_on)
        ELSE format('this request was counted on a day that is sealed since {}', sealed_on)
    END AS reason,
    printf('%016x', record_hash) AS line_hash
FROM memberships
JOIN (SELECT DISTINCT * FROM late_records) USING (request_id, record_hash), settings
WHERE batch = $batch;

DELETE FROM memberships
WHERE batch = $batch AND (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM late_records);

DELETE FROM chunk_facts
WHERE
    rowid > (SELECT chunk FROM facts_before)
    AND (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM late_records);

DELETE FROM requests
WHERE
    rowid > (SELECT request FROM facts_before)
    AND (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM late_records);

DELETE FROM new_texts
WHERE fingerprint NOT IN (SELECT fingerprint FROM chunk_facts WHERE fingerprint IS NOT NULL)
