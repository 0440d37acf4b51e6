-- The newest week with requests that ended before `today`, the newest that has begun (where none has, the newest), and the newest of all.
SELECT
    max(CASE WHEN week + 6 < $today::DATE THEN week END) AS ended,
    coalesce(max(CASE WHEN week <= $today::DATE THEN week END), max(week)) AS begun,
    max(week) AS held
FROM (SELECT date_trunc('week', day)::DATE AS week FROM days) AS weeks
