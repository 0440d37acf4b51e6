-- Add one block of chunks to what is staged.
INSERT INTO staged_chunks BY NAME SELECT * FROM block
