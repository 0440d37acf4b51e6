-- Take a batch out of the books: what it carried, its labels, its rejected lines.
--
-- What no other batch carries goes at once; what others carry too is contested where their record
-- is another one.
CREATE OR REPLACE TEMP TABLE carried AS
SELECT DISTINCT request_id, record_hash FROM memberships WHERE batch = $batch;

CREATE OR REPLACE TEMP TABLE touched_requests AS SELECT DISTINCT request_id FROM carried;

CREATE OR REPLACE TEMP TABLE touched_judgements AS
SELECT DISTINCT judgement_hash FROM judgements WHERE batch = $batch;

CREATE OR REPLACE TEMP TABLE judged_requests AS
SELECT DISTINCT request_id FROM judgements WHERE batch = $batch;

DELETE FROM memberships WHERE batch = $batch;
DELETE FROM judgements WHERE batch = $batch;
DELETE FROM rejected_lines WHERE batch = $batch;
DELETE FROM batches WHERE batch = $batch;

CREATE OR REPLACE TEMP TABLE contested_requests AS
SELECT request_id
FROM (
    SELECT request_id, record_hash FROM carried
    UNION
    SELECT request_id, record_hash
    FROM memberships
    WHERE request_id IN (SELECT request_id FROM touched_requests)
)
WHERE request_id IN (SELECT request_id FROM memberships)
GROUP BY request_id
HAVING count(*) > 1;

CREATE OR REPLACE TEMP TABLE lone_requests AS
SELECT request_id
FROM touched_requests
WHERE request_id NOT IN (SELECT request_id FROM memberships);

CREATE OR REPLACE TEMP TABLE labelled_requests AS
SELECT request_id FROM contested_requests
UNION
SELECT request_id FROM judged_requests;

CREATE OR REPLACE TEMP TABLE touched_days AS
SELECT DISTINCT day FROM requests WHERE request_id IN (SELECT request_id FROM lone_requests);

CREATE OR REPLACE TEMP TABLE recounted AS SELECT $batch AS batch LIMIT 0;
DELETE FROM versions WHERE request_id IN (SELECT request_id FROM lone_requests);
DELETE FROM chunk_facts WHERE request_id IN (SELECT request_id FROM lone_requests);
DELETE FROM requests WHERE request_id IN (SELECT request_id FROM lone_requests)
