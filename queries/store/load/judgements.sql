-- Add the labels of the batch.
INSERT INTO judgements BY NAME
SELECT *, $batch AS batch, count(*) AS lines
FROM staged_judgements
GROUP BY ALL
