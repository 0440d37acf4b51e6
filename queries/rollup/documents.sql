-- Rank the documents of each touched week and route: the 200 most packed and the 200 most copied.
SELECT
    week,
    route,
    doc_id,
    index_version,
    packed,
    cited,
    copies,
    copy_tokens,
    first_copy_on,
    latest_indexed_at
FROM (
    SELECT
        *,
        row_number() OVER (PARTITION BY week, route ORDER BY packed DESC, doc_id, index_version) AS by_packed,
        row_number() OVER (PARTITION BY week, route ORDER BY copies DESC, doc_id, index_version) AS by_copies
    FROM (
        SELECT
            touched_weeks.week,
            chunk.route,
            chunk.doc_id,
            chunk.index_version,
            CAST(count(*) AS BIGINT) AS packed,
            CAST(sum(CASE WHEN chunk.cited THEN 1 ELSE 0 END) AS BIGINT) AS cited,
            CAST(sum(CASE WHEN chunk.copy_of IS NOT NULL THEN 1 ELSE 0 END) AS BIGINT) AS copies,
            CAST(sum(CASE WHEN chunk.copy_of IS NOT NULL THEN coalesce(chunk.tokens, 0) ELSE 0 END) AS BIGINT) AS copy_tokens,
            min(CASE WHEN chunk.copy_of IS NOT NULL THEN chunk.day END) AS first_copy_on,
            max(chunk.indexed_at) AS latest_indexed_at
        FROM chunks AS chunk
        INNER JOIN touched_weeks
            ON chunk.day >= touched_weeks.week AND chunk.day < touched_weeks.next_week
        WHERE chunk.position IS NOT NULL AND chunk.doc_id IS NOT NULL
        GROUP BY touched_weeks.week, chunk.route, chunk.doc_id, chunk.index_version
    ) AS counted
) AS ranked
WHERE by_packed <= 200 OR (by_copies <= 200 AND copies > 0)
