-- Take a batch out of the books: what it carried, its labels, its rejected lines.
CREATE OR REPLACE TEMP TABLE contested_requests AS
SELECT DISTINCT request_id FROM memberships WHERE batch = $batch;

CREATE OR REPLACE TEMP TABLE touched_requests AS FROM contested_requests;

CREATE OR REPLACE TEMP TABLE touched_judgements AS
SELECT DISTINCT judgement_hash FROM judgements WHERE batch = $batch;

CREATE OR REPLACE TEMP TABLE labelled_requests AS
SELECT request_id FROM contested_requests
UNION
SELECT request_id FROM judgements WHERE batch = $batch;

CREATE OR REPLACE TEMP TABLE touched_days (day DATE);
CREATE OR REPLACE TEMP TABLE recounted AS SELECT $batch AS batch LIMIT 0;
DELETE FROM memberships WHERE batch = $batch;
DELETE FROM judgements WHERE batch = $batch;
DELETE FROM rejected_lines WHERE batch = $batch;
DELETE FROM batches WHERE batch = $batch
