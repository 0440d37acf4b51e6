-- Move what is staged into the facts, in the order it came, which is by day.
INSERT INTO touched_days SELECT DISTINCT day FROM staged_requests;
INSERT INTO requests SELECT * EXCLUDE (line) FROM staged_requests;
INSERT INTO chunks SELECT * EXCLUDE (line) FROM staged_chunks
