-- Add a block of chunks.
INSERT INTO chunks BY NAME FROM block
