-- The weeks that are made again without what was erased.
SELECT DISTINCT CAST(date_trunc('week', day) AS DATE) AS week
FROM touched_days, settings
WHERE sealed_before IS NULL OR day >= sealed_before
ORDER BY week
