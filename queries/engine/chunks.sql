-- Every retrieved chunk of the records that count, and whether it was known to hold the answer.
SELECT
    held.request.request_id AS request_id,
    held.request.record_hash AS record_hash,
    held.request.day AS day,
    held.request.route AS route,
    held.request.model AS model,
    held.request.release AS release,
    held.request.index_version AS index_version,
    held.request.ordering_seen AS ordering_seen,
    held.request.outcome AS outcome,
    held.request.unit_group AS unit_group,
    held.request.prompt_bucket AS prompt_bucket,
    held.chunk.k AS k,
    held.chunk.chunk_id AS chunk_id,
    held.chunk.doc_id AS doc_id,
    held.chunk.ordinal AS ordinal,
    held.chunk.indexed_at AS indexed_at,
    held.chunk.doc_version AS doc_version,
    held.chunk.retrieval_id AS retrieval_id,
    held.chunk.rank AS rank,
    held.chunk.packed_rank AS packed_rank,
    held.chunk.position AS position,
    held.chunk.marker AS marker,
    held.chunk.place AS place,
    held.chunk.score AS score,
    held.chunk.rerank_score AS rerank_score,
    held.chunk.tokens AS tokens,
    held.chunk.fingerprint AS fingerprint,
    held.chunk.copies AS copies,
    held.chunk.copy_of AS copy_of,
    held.chunk.exact_copy_of AS exact_copy_of,
    held.chunk.cited AS cited,
    held.chunk.citations_known AS citations_known,
    CASE
        WHEN wanted.chunk_id IS NOT NULL THEN TRUE
        WHEN labelled.request_id IS NOT NULL THEN FALSE
    END AS expected
FROM (
    SELECT
        request,
        unnest(chunks) AS chunk
    FROM won
) AS held
LEFT JOIN (SELECT DISTINCT request_id FROM expected) AS labelled
    ON held.request.request_id = labelled.request_id
LEFT JOIN expected AS wanted
    ON held.request.request_id = wanted.request_id AND held.chunk.chunk_id = wanted.chunk_id
