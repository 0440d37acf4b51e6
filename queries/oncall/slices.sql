-- What is measured on both sides, by the labels that requests carry and by unit group.
SELECT
    CASE WHEN $release IS NULL THEN requested_at >= $moment ELSE asked_release END AS since,
    labels,
    unit_group,
    count(*)::DOUBLE AS requests,
    sum(part) AS part,
    sum(whole) AS whole
FROM measured
GROUP BY ALL
ORDER BY ALL
