-- How many requests count on each day that was read, of the weeks that are asked for.
SELECT
    day,
    CAST(count(*) AS BIGINT) AS requests
FROM requests
GROUP BY day
