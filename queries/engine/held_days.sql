-- The days that were told of, and how many requests count on each.
SELECT
    day,
    CAST(sum(CASE WHEN telling = 1 AND version = 1 THEN 1 ELSE 0 END) AS BIGINT) AS requests
FROM lines
GROUP BY day
