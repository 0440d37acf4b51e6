-- Seal the days before `before`: drop their facts, keep their rollups, remember their requests.
--
-- A superseded record of a sealed day goes too, or forgetting its successor would bring it back.
CREATE OR REPLACE TEMP TABLE sealing AS
SELECT request_id FROM requests WHERE day < $before;

CREATE OR REPLACE TEMP TABLE late_versions AS
SELECT request_id, record_hash FROM versions WHERE request.day < $before;

INSERT INTO sealed_requests SELECT md5_number_lower(request_id) FROM sealing;

UPDATE batches
SET state = 'sealed'
WHERE batch IN (
    SELECT batch FROM memberships
    WHERE
        request_id IN (SELECT request_id FROM sealing)
        OR (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM late_versions)
    UNION
    SELECT batch FROM judgements WHERE request_id IN (SELECT request_id FROM sealing)
);

DELETE FROM memberships
WHERE
    request_id IN (SELECT request_id FROM sealing)
    OR (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM late_versions);

DELETE FROM judgements WHERE request_id IN (SELECT request_id FROM sealing);
DELETE FROM versions WHERE request.day < $before OR request_id IN (SELECT request_id FROM sealing);
DELETE FROM chunk_facts WHERE request_id IN (SELECT request_id FROM sealing);
DELETE FROM requests WHERE request_id IN (SELECT request_id FROM sealing);

UPDATE settings
SET sealed_before = $before, sealed_on = $today
WHERE sealed_before IS NULL OR sealed_before < $before
