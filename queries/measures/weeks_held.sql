-- How many weeks of a span of days have requests.
SELECT count(DISTINCT date_trunc('week', day)) AS weeks
FROM days
WHERE day >= $first_day AND day < $next_day
