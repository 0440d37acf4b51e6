-- Count again the batches that share a record or a label with the ones named in `recounted`.
--
-- A record belongs to the batch with the smallest hash of those that carry it; sealed batches keep
-- their counts and come first.
CREATE OR REPLACE TEMP TABLE counts AS
WITH sharing AS (
    SELECT DISTINCT batch FROM memberships
    WHERE request_id IN (
        SELECT request_id FROM memberships WHERE batch IN (SELECT batch FROM recounted)
        UNION
        SELECT request_id FROM touched_requests
    )
    UNION
    SELECT batch FROM judgements
    WHERE judgement_hash IN (
        SELECT judgement_hash FROM judgements WHERE batch IN (SELECT batch FROM recounted)
        UNION
        SELECT judgement_hash FROM touched_judgements
    )
    UNION
    SELECT batch FROM recounted
),

records AS (
    SELECT
        batch,
        lines,
        row_number() OVER (PARTITION BY request_id, record_hash ORDER BY state <> 'sealed', batch) = 1 AS first,
        (request_id, record_hash) IN (SELECT (request_id, record_hash) FROM versions) AS lost
    FROM memberships
    JOIN batches USING (batch)
    WHERE request_id IN (SELECT request_id FROM memberships JOIN sharing USING (batch))
),

labels AS (
    SELECT
        batch,
        lines,
        row_number() OVER (
            PARTITION BY request_id, judgement_hash ORDER BY state <> 'sealed', batch
        ) = 1 AS first,
        false AS lost
    FROM judgements
    JOIN batches USING (batch)
    WHERE judgement_hash IN (SELECT judgement_hash FROM judgements JOIN sharing USING (batch))
)

SELECT
    batch,
    count(*) FILTER (first AND NOT lost) AS loaded,
    count(*) FILTER (first AND lost) AS superseded,
    sum(lines) - count(*) FILTER (first) AS duplicate
FROM (FROM records UNION ALL FROM labels)
JOIN sharing USING (batch)
GROUP BY batch;

UPDATE batches
SET loaded = counts.loaded, superseded = counts.superseded, duplicate = counts.duplicate
FROM counts
WHERE batches.batch = counts.batch AND batches.state <> 'sealed'
