-- By route, K and packed rank, before a day and since (or of two releases): the cited rate at the edges of the prompt, and
-- the weight of a chunk in the middle, edge / (edge + middle) as Mantel and Haenszel have it.
CREATE OR REPLACE TEMP TABLE edges AS
SELECT
    later,
    route,
    k,
    packed_rank,
    edge_cited / edge AS rate,
    edge / (edge + middle) AS weight
FROM (
    SELECT
        CASE WHEN $release IS NULL THEN day >= $start ELSE release = $release END AS later,
        route,
        k,
        packed_rank,
        sum(CASE WHEN place = 'middle' THEN packed ELSE 0 END) AS middle,
        sum(CASE WHEN place <> 'middle' THEN packed ELSE 0 END) AS edge,
        sum(CASE WHEN place <> 'middle' THEN cited ELSE 0 END) AS edge_cited
    FROM cells
    WHERE
        day >= $first_day
        AND day < $next_day
        AND packed_rank IS NOT NULL
        AND k > 2
        AND ($release IS NULL OR release IN ($release, $against))
    GROUP BY ALL
) AS strata
WHERE edge > 0 AND middle > 0
