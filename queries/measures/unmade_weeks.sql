-- Weeks that have requests but no estimates yet, or those of a program that knew fewer measures:
-- every route has a row of each share of missing fields, the one named here being the newest.
SELECT DISTINCT date_trunc('week', day)::DATE AS week
FROM days
WHERE date_trunc('week', day)::DATE NOT IN (
    SELECT week FROM week_estimates WHERE measure = 'missing_positions_rate'
)
ORDER BY week
