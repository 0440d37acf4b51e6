-- Bring the record that counts of each contested request back into the facts, where it is among the versions.
--
-- Versions that no batch carries any more go first.
DELETE FROM versions
WHERE
    request_id IN (SELECT request_id FROM contested_requests)
    AND (request_id, record_hash) NOT IN (SELECT (request_id, record_hash) FROM carried_records);

INSERT INTO requests
SELECT unnest(request) FROM versions JOIN chosen USING (request_id, record_hash);

CREATE TEMP TABLE whole_chunks AS
SELECT unnest(chunks, recursive := true) FROM versions JOIN chosen USING (request_id, record_hash);

DELETE FROM versions
WHERE (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM chosen);

INSERT INTO touched_days
SELECT DISTINCT day FROM requests WHERE request_id IN (SELECT request_id FROM contested_requests)
