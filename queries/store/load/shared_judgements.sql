-- Whether another batch, or another line of this one, carries one of the batch's labels.
SELECT
    coalesce(max(lines), 1) > 1
    OR count(*) FILTER (
        judgement_hash IN (SELECT judgement_hash FROM judgements WHERE batch <> $batch)
    ) > 0
FROM judgements
WHERE batch = $batch
