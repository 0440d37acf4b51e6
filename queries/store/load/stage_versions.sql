-- Move the staged records of contested requests beside the held ones, for the choice between them.
INSERT INTO versions
SELECT staged.request_id, staged.revision, staged.record_hash, staged AS request, coalesce(chunks, []) AS chunks
FROM staged_requests AS staged
LEFT JOIN (
    SELECT line, list(chunk ORDER BY chunk.retrieval_id, chunk.chunk_id) AS chunks FROM staged_chunks AS chunk GROUP BY line
) AS listed ON listed.line = staged.line
WHERE staged.request_id IN (SELECT request_id FROM contested_requests);

DELETE FROM staged_chunks WHERE request_id IN (SELECT request_id FROM contested_requests);
DELETE FROM staged_requests WHERE request_id IN (SELECT request_id FROM contested_requests)
