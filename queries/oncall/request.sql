-- One request, every column but its hashes.
SELECT * EXCLUDE (record_hash, unit_hash, logged_correct, logged_expected)
FROM requests
WHERE request_id = $request_id
