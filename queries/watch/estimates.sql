-- Every weekly estimate up to a week, for the tests of drift.
SELECT
    week,
    route,
    measure,
    value,
    se,
    base,
    requests,
    size,
    verdict,
    leave_one_outs
FROM week_estimates
WHERE week <= $through
ORDER BY week, route, measure
