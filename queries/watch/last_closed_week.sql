-- The newest week that ended before today; where none did, or without a today, the newest whose
-- Sunday has requests or that a later day follows.
--
-- By the calendar first: one line of a clock that is ahead would close the week that still goes on.
SELECT
    coalesce(
        max(CASE WHEN week + 6 < $today::DATE THEN week END),
        max(CASE WHEN week + 6 <= last_day THEN week END)
    ) AS week
FROM (
    SELECT
        date_trunc('week', day)::DATE AS week,
        (SELECT coalesce(max(day) FILTER (WHERE day <= $today::DATE), max(day)) FROM days) AS last_day
    FROM days
) AS weeks
