-- Citations that point at nothing packed, answers that cite nothing, and the requests outside both.
--
-- parameters
--   week            DATE            Monday that opens the week
--   route           VARCHAR = NULL  one route; NULL: every route, each for itself
--   baseline_weeks  INTEGER = 13    how many weeks before it to compare with, pooled
--
-- columns
--   route                        VARCHAR  the route
--   answers                      BIGINT   answers with something packed and known citations
--   citations                    BIGINT   citations they made, repeats and strays included
--   stray                        BIGINT   of those, citations of something that was not packed
--   stray_rate                   DOUBLE   stray / citations, 0 to 1
--   low                          DOUBLE   lower end of the 95 % interval of stray_rate
--   high                         DOUBLE   upper end of the 95 % interval of stray_rate
--   citation_free                BIGINT   answers that cite no packed chunk
--   citation_free_rate           DOUBLE   citation_free / answers, 0 to 1
--   free_low                     DOUBLE   lower end of the 95 % interval of citation_free_rate
--   free_high                    DOUBLE   upper end of the 95 % interval of citation_free_rate
--   baseline_stray_rate          DOUBLE   stray_rate in the baseline; NULL below six weeks with data
--   baseline_citation_free_rate  DOUBLE   citation_free_rate in the baseline
--   without_context              BIGINT   answered with nothing packed; in no rate here
--   missing_citations            BIGINT   answered, but citations were not logged; in no rate here
--   refused                      BIGINT   requests refused; in no rate here
--   errors                       BIGINT   requests that ended in an error; in no rate here
--   cached                       BIGINT   requests answered from a cache; in no rate here
--   unlisted                     BIGINT   answered, but the log does not list all packed chunks

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route,
        $baseline_weeks::INTEGER AS baseline_weeks
),

per_group AS (
    SELECT
        counted.route,
        counted.day >= asked.week AS this_week,
        counted.unit_group,
        sum(counted.citations_known)::BIGINT AS answers,
        sum(counted.citations)::BIGINT AS citations,
        sum(counted.stray)::BIGINT AS stray,
        sum(counted.citation_free)::BIGINT AS citation_free,
        sum(counted.without_context)::BIGINT AS without_context,
        sum(counted.missing_citations)::BIGINT AS missing_citations,
        sum(counted.refused)::BIGINT AS refused,
        sum(counted.errors)::BIGINT AS errors,
        sum(counted.cached)::BIGINT AS cached,
        sum(counted.unlisted)::BIGINT AS unlisted
    FROM days AS counted, asked
    WHERE
        counted.day >= asked.week - 7 * asked.baseline_weeks
        AND counted.day < asked.week + 7
        AND (asked.route IS NULL OR counted.route = asked.route)
    GROUP BY ALL
),

per_period AS (
    SELECT
        route,
        this_week,
        sum(answers)::BIGINT AS answers,
        sum(citations)::BIGINT AS citations,
        sum(stray)::BIGINT AS stray,
        sum(stray) / nullif(sum(citations), 0) AS stray_rate,
        leave_one_out(
            list(stray ORDER BY unit_group), list(citations ORDER BY unit_group)
        ) AS stray_left_out,
        sum(citation_free)::BIGINT AS citation_free,
        sum(citation_free) / nullif(sum(answers), 0) AS citation_free_rate,
        leave_one_out(
            list(citation_free ORDER BY unit_group), list(answers ORDER BY unit_group)
        ) AS free_left_out,
        sum(without_context)::BIGINT AS without_context,
        sum(missing_citations)::BIGINT AS missing_citations,
        sum(refused)::BIGINT AS refused,
        sum(errors)::BIGINT AS errors,
        sum(cached)::BIGINT AS cached,
        sum(unlisted)::BIGINT AS unlisted
    FROM per_group
    GROUP BY ALL
),

answered AS (
    SELECT period.*
    FROM asked, answers_in(asked.week, asked.route, asked.baseline_weeks) AS period
)

SELECT
    now.route,
    now.answers,
    now.citations,
    now.stray,
    now.stray_rate,
    rate_low(now.stray_left_out) AS low,
    rate_high(now.stray_left_out) AS high,
    now.citation_free,
    now.citation_free_rate,
    rate_low(now.free_left_out) AS free_low,
    rate_high(now.free_left_out) AS free_high,
    before.stray_rate AS baseline_stray_rate,
    before.citation_free_rate AS baseline_citation_free_rate,
    now.without_context,
    now.missing_citations,
    now.refused,
    now.errors,
    now.cached,
    now.unlisted
FROM per_period AS now
INNER JOIN answered ON now.route = answered.route
LEFT JOIN per_period AS before
    ON
        now.route = before.route
        AND NOT before.this_week
        AND baseline_stands(answered.weeks_before)
WHERE now.this_week
ORDER BY now.route
