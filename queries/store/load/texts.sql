-- Add the texts that no held record carried.
INSERT INTO texts
SELECT DISTINCT fingerprint, text_hash, s0, s1
FROM staged_texts
WHERE fingerprint NOT IN (SELECT fingerprint FROM texts)
