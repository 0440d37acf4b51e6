-- Enter the rejected lines of a run.
INSERT INTO rejected_lines BY NAME SELECT * EXCLUDE (file) FROM block
