-- The first day with facts, the first with counts, and since when days are sealed.
SELECT
    (SELECT min(day) FROM requests) AS facts_from,
    (SELECT min(day) FROM days) AS counts_from,
    sealed_before
FROM settings
