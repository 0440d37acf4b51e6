-- Add a block of rejected lines.
INSERT INTO rejected_lines BY NAME FROM block
