-- Make ready for one file: notes of what it touches, and where the facts end before it.
CREATE OR REPLACE TEMP TABLE new_texts AS FROM texts LIMIT 0;
CREATE OR REPLACE TEMP TABLE new_judgements AS SELECT * EXCLUDE (batch, lines) FROM judgements LIMIT 0;
CREATE OR REPLACE TEMP TABLE labelled_requests (request_id VARCHAR);
CREATE OR REPLACE TEMP TABLE contested_requests (request_id VARCHAR);
CREATE OR REPLACE TEMP TABLE touched_requests (request_id VARCHAR);
CREATE OR REPLACE TEMP TABLE touched_judgements (judgement_hash BIGINT);
CREATE OR REPLACE TEMP TABLE touched_days (day DATE);
CREATE OR REPLACE TEMP TABLE facts_before AS
SELECT
    (SELECT coalesce(max(rowid), -1) FROM requests) AS request,
    (SELECT coalesce(max(rowid), -1) FROM chunk_facts) AS chunk,
    (SELECT coalesce(max(dimension_key), 0) FROM dimensions) AS dimension
