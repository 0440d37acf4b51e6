-- The newest week with requests that ended before `today`, and the newest of all.
SELECT
    max(CASE WHEN week + 6 < $today::DATE THEN week END) AS ended,
    max(week) AS held
FROM (SELECT date_trunc('week', day)::DATE AS week FROM days) AS weeks
