-- How many distinct texts are held.
SELECT count(*) AS texts FROM texts
