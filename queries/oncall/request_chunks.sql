-- The chunks of a request in prompt order, then those that were not packed by rank.
SELECT
    chunk_id,
    doc_id,
    rank,
    packed_rank,
    position,
    place,
    marker,
    score,
    rerank_score,
    tokens,
    copy_of,
    copies,
    cited,
    expected
FROM chunks
WHERE day = $day AND request_id = $request_id
ORDER BY position NULLS LAST, rank NULLS LAST, retrieval_id, chunk_id
