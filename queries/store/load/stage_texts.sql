-- Add one block of texts to what is staged.
INSERT INTO staged_texts BY NAME SELECT * FROM block
