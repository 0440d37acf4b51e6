-- 5th, 50th and 95th percentile of the context tokens that each kept run asked with, where they are known.
WITH placed AS (
    SELECT
        run,
        tokens,
        row_number() OVER (
            PARTITION BY run
            ORDER BY tokens
        ) - 1 AS place,
        count(*) OVER (PARTITION BY run) - 1 AS last_place
    FROM swap_results
    WHERE tokens IS NOT NULL
)

SELECT
    run,
    max(CASE WHEN place = floor(CAST(0.05 AS DOUBLE) * last_place) THEN tokens END) AS low,
    max(CASE WHEN place = floor(CAST(0.5 AS DOUBLE) * last_place) THEN tokens END) AS middle,
    max(CASE WHEN place = floor(CAST(0.95 AS DOUBLE) * last_place) THEN tokens END) AS high
FROM placed
GROUP BY run
ORDER BY run
