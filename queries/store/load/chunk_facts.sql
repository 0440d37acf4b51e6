-- Add a block of chunks.
INSERT INTO chunk_facts BY NAME FROM block
