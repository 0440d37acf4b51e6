-- The last day with requests.
SELECT max(day) AS day FROM days
