-- Of each answer whose expected chunks are known: how many it names, and what became of them.
SELECT
    labelled.request_id,
    labelled.expected,
    coalesce(met.retrieved, 0) AS retrieved,
    coalesce(met.packed, 0) AS packed,
    coalesce(met.cited, 0) AS cited,
    coalesce(met.unknown, 0) AS unknown,
    met.place
FROM (
    SELECT
        request_id,
        CAST(count(*) AS INTEGER) AS expected
    FROM expected
    GROUP BY request_id
) AS labelled
LEFT JOIN (
    SELECT
        request_id,
        count(*) AS retrieved,
        sum(CASE WHEN position IS NOT NULL THEN 1 ELSE 0 END) AS packed,
        sum(CASE WHEN cited THEN 1 ELSE 0 END) AS cited,
        sum(CASE WHEN position IS NOT NULL AND cited IS NULL THEN 1 ELSE 0 END) AS unknown,
        max(place) AS place
    FROM chunks
    WHERE expected
    GROUP BY request_id
) AS met ON labelled.request_id = met.request_id
