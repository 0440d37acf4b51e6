-- Add a block of requests, each with the line that carries it.
INSERT INTO requests BY NAME SELECT * EXCLUDE (line) FROM block;

INSERT INTO memberships
SELECT request_id, record_hash, $batch AS batch, line, 1 AS lines FROM block;

INSERT INTO touched_days SELECT DISTINCT day FROM block;

INSERT INTO labelled_requests
SELECT request_id FROM block WHERE logged_correct IS NOT NULL OR logged_expected IS NOT NULL
