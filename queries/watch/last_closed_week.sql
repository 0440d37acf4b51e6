-- The newest week whose Sunday has requests, that a later day follows, or that ended before today.
SELECT max(week) AS week
FROM (
    SELECT
        date_trunc('week', day)::DATE AS week,
        (SELECT max(day) FROM days) AS last_day
    FROM days
)
WHERE last_day >= week + 6 OR week + 6 < $today::DATE
