-- Add combinations of dimensions that no chunk had before.
INSERT INTO dimensions BY NAME FROM block
