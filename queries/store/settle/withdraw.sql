-- Take the contested requests out of the facts and put their records among the versions.
INSERT INTO touched_days
SELECT DISTINCT day FROM requests WHERE request_id IN (SELECT request_id FROM contested_requests);

-- A version keeps what was logged; labels are settled anew for whichever record counts.
UPDATE requests
SET correct = NULL, expected = NULL, expected_outcome = NULL, expected_place = NULL
WHERE request_id IN (SELECT request_id FROM contested_requests);

UPDATE chunks SET expected = NULL WHERE request_id IN (SELECT request_id FROM contested_requests);

INSERT INTO versions
SELECT request.request_id, request.revision, request.record_hash, request, coalesce(chunks, []) AS chunks
FROM requests AS request
LEFT JOIN (
    SELECT request_id, list(chunk ORDER BY chunk.retrieval_id, chunk.chunk_id) AS chunks
    FROM chunks AS chunk
    WHERE request_id IN (SELECT request_id FROM contested_requests)
    GROUP BY request_id
) AS listed ON listed.request_id = request.request_id
WHERE request.request_id IN (SELECT request_id FROM contested_requests);

DELETE FROM chunks WHERE request_id IN (SELECT request_id FROM contested_requests);
DELETE FROM requests WHERE request_id IN (SELECT request_id FROM contested_requests)
