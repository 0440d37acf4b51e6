-- Reject the staged lines whose day, or whose request, is sealed.
INSERT INTO staged_rejected
SELECT
    $batch AS batch,
    line,
    NULL AS byte_offset,
    'requested_at' AS path,
    CASE
        WHEN day < sealed_before THEN format('{} is sealed since {}', day, sealed_on)
        ELSE format('this request was counted on a day that is sealed since {}', sealed_on)
    END AS reason,
    printf('%016x', record_hash) AS line_hash
FROM staged_requests, settings
WHERE
    day < sealed_before
    OR md5_number_lower(request_id) IN (SELECT fingerprint FROM sealed_requests);

DELETE FROM staged_requests WHERE line IN (SELECT line FROM staged_rejected WHERE batch = $batch);
DELETE FROM staged_chunks WHERE line IN (SELECT line FROM staged_rejected WHERE batch = $batch);
DELETE FROM staged_texts
WHERE fingerprint NOT IN (SELECT fingerprint FROM staged_chunks WHERE fingerprint IS NOT NULL)
