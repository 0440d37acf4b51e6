-- The documents whose near-copies filled most of a week's prompts, by version of the index.
--
-- parameters
--   week   DATE            Monday that opens the week
--   route  VARCHAR = NULL  one route; NULL: every route, each for itself
--
-- columns
--   week           DATE     Monday that opens the week
--   route          VARCHAR  the route
--   doc_id         VARCHAR  the document
--   index_version  VARCHAR  the index it was read from
--   packed         BIGINT   its packed chunks
--   cited          BIGINT   of those, cited
--   copies         BIGINT   its redundant packed chunks; documents without one are left out
--   copies_share   DOUBLE   of the route's redundant packed chunks that week, the share here, 0 to 1
--   copy_tokens    BIGINT   tokens of those copies
--   first_copy_on  DATE     first day of the week on which one was packed

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route
),

redundant AS (
    SELECT
        counted.route,
        sum(counted.redundant) AS chunks
    FROM days AS counted, asked
    WHERE
        counted.day >= asked.week
        AND counted.day < asked.week + 7
    GROUP BY ALL
)

SELECT
    document.week,
    document.route,
    document.doc_id,
    document.index_version,
    document.packed,
    document.cited,
    document.copies,
    document.copies / nullif(redundant.chunks, 0) AS copies_share,
    document.copy_tokens,
    document.first_copy_on
FROM documents AS document
CROSS JOIN asked
LEFT JOIN redundant ON document.route = redundant.route
WHERE
    document.week = asked.week
    AND document.copies > 0
    AND (asked.route IS NULL OR document.route = asked.route)
ORDER BY
    document.route,
    document.copies DESC,
    document.packed DESC,
    document.doc_id,
    document.index_version
