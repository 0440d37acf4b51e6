-- Move what is staged into the facts, sorted by day: a day is then read without the others.
INSERT INTO touched_days SELECT DISTINCT day FROM staged_requests;
INSERT INTO requests SELECT * EXCLUDE (line) FROM staged_requests ORDER BY day, line;
INSERT INTO chunks SELECT * EXCLUDE (line) FROM staged_chunks ORDER BY day, line
