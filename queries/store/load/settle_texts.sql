-- Add the texts that no held record carried.
INSERT INTO texts
SELECT DISTINCT * FROM new_texts WHERE fingerprint NOT IN (SELECT fingerprint FROM texts)
