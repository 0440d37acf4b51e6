-- Add one block of requests to what is staged.
INSERT INTO staged_requests BY NAME SELECT * FROM block
