-- Name the requests to erase: those asked for by name, and those of which any record names a unit.
CREATE OR REPLACE TEMP TABLE erasing AS
SELECT unnest($requests) AS request_id
UNION
SELECT request_id FROM requests
WHERE unit_logged AND unit_hash IN (SELECT unnest($units))
UNION
SELECT request_id FROM versions
WHERE request.unit_logged AND request.unit_hash IN (SELECT unnest($units));

CREATE OR REPLACE TEMP TABLE touched_days AS
SELECT DISTINCT day FROM requests WHERE request_id IN (SELECT request_id FROM erasing);

CREATE OR REPLACE TEMP TABLE touched_requests AS SELECT request_id FROM erasing;
CREATE OR REPLACE TEMP TABLE touched_judgements (judgement_hash BIGINT);

CREATE OR REPLACE TEMP TABLE recounted AS
SELECT batch FROM memberships WHERE request_id IN (SELECT request_id FROM erasing)
UNION
SELECT batch FROM judgements WHERE request_id IN (SELECT request_id FROM erasing)
