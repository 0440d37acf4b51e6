-- Reject the lines of the batch whose request was erased.
CREATE OR REPLACE TEMP TABLE erased_records AS
SELECT request_id, record_hash, any_value(erased_on) AS erased_on
FROM memberships, settings
JOIN erased_requests ON fingerprint = md5_number_lower(format('{} {}', unit_key, request_id))
WHERE batch = $batch
GROUP BY request_id, record_hash;

INSERT INTO rejected_lines
SELECT
    batch,
    line,
    NULL AS byte_offset,
    'request_id' AS path,
    format('was erased on {}', erased_on) AS reason,
    '' AS line_hash
FROM memberships
JOIN erased_records USING (request_id, record_hash)
WHERE batch = $batch;

DELETE FROM memberships
WHERE batch = $batch AND request_id IN (SELECT request_id FROM erased_records);

DELETE FROM chunk_facts
WHERE
    rowid > (SELECT chunk FROM facts_before)
    AND request_id IN (SELECT request_id FROM erased_records);

DELETE FROM requests
WHERE
    rowid > (SELECT request FROM facts_before)
    AND request_id IN (SELECT request_id FROM erased_records);

DELETE FROM new_texts
WHERE fingerprint NOT IN (SELECT fingerprint FROM chunk_facts WHERE fingerprint IS NOT NULL);

CREATE OR REPLACE TEMP TABLE erased_labels AS
SELECT new_judgements.request_id
FROM new_judgements, settings
JOIN erased_requests ON fingerprint = md5_number_lower(format('{} {}', unit_key, request_id));

DELETE FROM new_judgements WHERE request_id IN (SELECT request_id FROM erased_labels)
