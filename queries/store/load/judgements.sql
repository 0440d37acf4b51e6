-- Note a block of labels.
INSERT INTO new_judgements BY NAME FROM block
