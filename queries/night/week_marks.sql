-- A mark of what a report of each week is made of; a file that touches the week changes it.
WITH counted AS (
    SELECT
        date_trunc('week', day)::DATE AS week,
        counts::VARCHAR AS line
    FROM days AS counts
),

estimated AS (
    SELECT
        week,
        kept::VARCHAR AS line
    FROM week_estimates AS kept
    WHERE week IN (SELECT week FROM counted)
),

documented AS (
    SELECT
        week,
        held::VARCHAR AS line
    FROM documents AS held
)

SELECT
    week,
    md5(string_agg(md5(line), '' ORDER BY line)) AS mark
FROM (FROM counted UNION ALL FROM estimated UNION ALL FROM documented)
GROUP BY week
ORDER BY week
