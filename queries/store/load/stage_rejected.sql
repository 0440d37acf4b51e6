-- Add one block of rejected lines to what is staged.
INSERT INTO staged_rejected BY NAME SELECT * FROM block
