-- Weeks, and the weeks that a week is compared with.

-- The Monday that opens the week of a day.
CREATE OR REPLACE TEMP MACRO week_of(some_day) AS date_trunc('week', some_day)::DATE;

-- A baseline stands on at least six weeks that have data.
CREATE OR REPLACE TEMP MACRO baseline_stands(weeks_with_data) AS weeks_with_data >= 6;

-- Per route: its answers with known citations in a week, and how many of the baseline weeks have any.
CREATE OR REPLACE TEMP MACRO answers_in(asked_week, asked_route, baseline_weeks) AS TABLE
SELECT
    route,
    sum(CASE WHEN day >= asked_week THEN citations_known ELSE 0 END)::BIGINT AS answers,
    count(DISTINCT CASE WHEN day < asked_week AND citations_known > 0 THEN week_of(day) END)
        AS weeks_before
FROM days
WHERE
    day >= asked_week - 7 * baseline_weeks
    AND day < asked_week + 7
    AND (asked_route IS NULL OR route = asked_route)
GROUP BY route;
