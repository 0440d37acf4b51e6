-- The Monday of the last week with requests.
SELECT date_trunc('week', max(day))::DATE AS week FROM days
