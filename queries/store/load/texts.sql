-- Note a block of texts.
INSERT INTO new_texts BY NAME FROM block
