-- Enter the labels of a run that wait for their requests.
INSERT INTO judgements BY NAME SELECT *, 1 AS lines FROM block
