-- Weeks that have requests but no estimates yet.
SELECT DISTINCT date_trunc('week', day)::DATE AS week
FROM days
WHERE date_trunc('week', day)::DATE NOT IN (SELECT week FROM week_estimates)
ORDER BY week
