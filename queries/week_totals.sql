-- A week in one row: its requests, its answers, and what became of their chunks.
--
-- parameters
--   week  DATE  Monday that opens the week
--
-- columns
--   requests           BIGINT  requests of every outcome
--   answers            BIGINT  answers with something packed and known citations
--   retrieved          BIGINT  chunks retrieved for those answers
--   packed             BIGINT  of those, packed
--   cited              BIGINT  of those, cited
--   stray              BIGINT  citations of something that was not packed
--   routes             BIGINT  routes with a request
--   weighted_requests  DOUBLE  requests, scaled by sample weight

WITH asked AS (
    SELECT $week::DATE AS week
)

SELECT
    coalesce(sum(counted.requests), 0)::BIGINT AS requests,
    coalesce(sum(counted.citations_known), 0)::BIGINT AS answers,
    coalesce(sum(counted.known_retrieved), 0)::BIGINT AS retrieved,
    coalesce(sum(counted.known_packed), 0)::BIGINT AS packed,
    coalesce(sum(counted.cited), 0)::BIGINT AS cited,
    coalesce(sum(counted.stray), 0)::BIGINT AS stray,
    count(DISTINCT counted.route) AS routes,
    coalesce(sum(counted.weight), 0) / 1000 AS weighted_requests
FROM days AS counted, asked
WHERE
    counted.day >= asked.week
    AND counted.day < asked.week + 7
ORDER BY requests
