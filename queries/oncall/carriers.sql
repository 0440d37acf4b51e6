-- When each combination of labels was first seen, and how many measured requests carry it.
SELECT
    labels,
    min(requested_at) AS first_seen,
    count(*)::BIGINT AS requests
FROM measured
GROUP BY labels
ORDER BY first_seen, labels
