-- Of each contested request bring the record that counts back into the facts.
--
-- The highest revision counts, then the smallest record hash: the winner depends on content alone.
DELETE FROM versions
WHERE
    request_id IN (SELECT request_id FROM contested_requests)
    AND (request_id, record_hash) NOT IN (
        SELECT (request_id, record_hash)
        FROM memberships
        WHERE request_id IN (SELECT request_id FROM contested_requests)
    );

CREATE OR REPLACE TEMP TABLE chosen AS
SELECT request_id, record_hash
FROM versions
WHERE request_id IN (SELECT request_id FROM contested_requests)
QUALIFY row_number() OVER (PARTITION BY request_id ORDER BY revision DESC, record_hash) = 1;

INSERT INTO requests
SELECT unnest(request) FROM versions JOIN chosen USING (request_id, record_hash);

CREATE TEMP TABLE whole_chunks AS
SELECT unnest(chunks, recursive := true) FROM versions JOIN chosen USING (request_id, record_hash);

DELETE FROM versions
WHERE (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM chosen);

INSERT INTO touched_days
SELECT DISTINCT day FROM requests WHERE request_id IN (SELECT request_id FROM contested_requests)
