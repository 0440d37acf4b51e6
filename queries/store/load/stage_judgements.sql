-- Add one block of judgements to what is staged.
INSERT INTO staged_judgements BY NAME SELECT * FROM block
