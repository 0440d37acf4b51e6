-- The newest week with requests that ended before `today`.
SELECT max(date_trunc('week', day)::DATE) AS week
FROM days
WHERE date_trunc('week', day)::DATE + 6 < $today
