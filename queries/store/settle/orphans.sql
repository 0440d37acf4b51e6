-- Drop the texts that no held record carries any more.
DELETE FROM texts
WHERE fingerprint NOT IN (
    SELECT fingerprint FROM chunk_facts WHERE fingerprint IS NOT NULL
    UNION
    SELECT chunk.fingerprint
    FROM (SELECT unnest(chunks) AS chunk FROM versions)
    WHERE chunk.fingerprint IS NOT NULL
)
