-- Every ranked candidate of the picked requests, of the retrieval that was packed, best first.
SELECT
    replayed.number,
    chunks.rank,
    chunks.position,
    chunks.tokens,
    chunks.cited,
    chunks.expected,
    chunks.doc_id,
    texts.text_hash,
    texts.s0,
    texts.s1
FROM chunks
INNER JOIN replayed
    ON chunks.request_id = replayed.request_id AND chunks.day = replayed.day
LEFT JOIN texts ON chunks.fingerprint = texts.fingerprint
WHERE
    chunks.day >= $first_day
    AND chunks.day < $next_day
    AND chunks.rank IS NOT NULL
QUALIFY
    coalesce(chunks.retrieval_id, '') = max(
        CASE WHEN chunks.position IS NOT NULL THEN coalesce(chunks.retrieval_id, '') END
    ) OVER (PARTITION BY replayed.number)
ORDER BY replayed.number, chunks.rank
