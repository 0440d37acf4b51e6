-- Make the tables that hold one file while it is read: the facts to be, each with its line.
CREATE OR REPLACE TEMP TABLE staged_requests AS SELECT *, 0::BIGINT AS line FROM requests LIMIT 0;
CREATE OR REPLACE TEMP TABLE staged_chunks AS SELECT *, 0::BIGINT AS line FROM chunks LIMIT 0;
CREATE OR REPLACE TEMP TABLE staged_texts AS SELECT * FROM texts LIMIT 0;
CREATE OR REPLACE TEMP TABLE staged_judgements AS SELECT * EXCLUDE (batch, lines) FROM judgements LIMIT 0;
CREATE OR REPLACE TEMP TABLE staged_rejected AS SELECT * FROM rejected_lines LIMIT 0;
CREATE OR REPLACE TEMP TABLE contested_requests (request_id VARCHAR);
CREATE OR REPLACE TEMP TABLE touched_requests (request_id VARCHAR);
CREATE OR REPLACE TEMP TABLE touched_judgements (judgement_hash BIGINT);
CREATE OR REPLACE TEMP TABLE touched_days (day DATE)
