-- The chunks that each labelled answer was to rest on: those that the latest label names, each once.
SELECT DISTINCT
    request_id,
    chunk_id
FROM (
    SELECT
        request_id,
        unnest(expected) AS chunk_id
    FROM (
        SELECT
            request_id,
            expected,
            row_number() OVER (PARTITION BY request_id ORDER BY judged_at DESC, hash) AS place
        FROM said
        WHERE names_expected
    ) AS words
    WHERE place = 1
) AS named
