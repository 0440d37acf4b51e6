-- Name the weeks of the touched days, each by its Monday.
CREATE OR REPLACE TEMP TABLE touched_weeks AS
SELECT DISTINCT
    CAST(date_trunc('week', day) AS DATE) AS week,
    CAST(date_trunc('week', day) AS DATE) + 7 AS next_week
FROM touched_days
