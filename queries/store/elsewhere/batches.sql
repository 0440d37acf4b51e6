-- Enter what the files of a run brought.
INSERT INTO batches BY NAME FROM block
