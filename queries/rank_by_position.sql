-- Of the chunks of each packed rank at each position, the share the answer cited: rank against place.
--
-- parameters
--   week   DATE            Monday that opens the week
--   route  VARCHAR = NULL  one route; NULL: every route, each for itself
--
-- columns
--   route        VARCHAR  the route
--   packed_rank  INTEGER  rank among the packed chunks, 1 = best; chunks without one are left out
--   position     INTEGER  place among the packed chunks, 1 = first
--   packed       BIGINT   chunks of that rank packed there, in answers with known citations
--   cited        BIGINT   of those, cited
--   cited_rate   DOUBLE   cited / packed, 0 to 1
--   low          DOUBLE   lower end of its 95 % interval
--   high         DOUBLE   upper end of its 95 % interval

WITH asked AS (
    SELECT
        $week::DATE AS week,
        $route::VARCHAR AS route
),

per_group AS (
    SELECT
        cell.route,
        cell.packed_rank,
        cell.position,
        cell.unit_group,
        sum(cell.packed)::BIGINT AS packed,
        sum(cell.cited)::BIGINT AS cited
    FROM cells_by_position AS cell, asked
    WHERE
        cell.packed_rank IS NOT NULL
        AND cell.day >= asked.week
        AND cell.day < asked.week + 7
        AND (asked.route IS NULL OR cell.route = asked.route)
    GROUP BY ALL
),

per_cell AS (
    SELECT
        route,
        packed_rank,
        position,
        sum(packed)::BIGINT AS packed,
        sum(cited)::BIGINT AS cited,
        leave_one_out(
            list(cited ORDER BY unit_group), list(packed ORDER BY unit_group)
        ) AS left_out
    FROM per_group
    GROUP BY ALL
)

SELECT
    route,
    packed_rank,
    position,
    packed,
    cited,
    cited / nullif(packed, 0) AS cited_rate,
    rate_low(left_out) AS low,
    rate_high(left_out) AS high
FROM per_cell
ORDER BY route, packed_rank, position
