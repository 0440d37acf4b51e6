-- The packed chunks of the asked route, with what an investigation reads of them.
SELECT
    chunk.record_hash,
    chunk.day,
    chunk.route,
    chunk.release,
    chunk.k,
    chunk.doc_id,
    chunk.rank,
    chunk.packed_rank,
    chunk.place,
    chunk.copies,
    chunk.cited
FROM published_chunks AS chunk
INNER JOIN asked ON chunk.route = asked.route
WHERE chunk.place IS NOT NULL
