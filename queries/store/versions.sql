-- Make the table of superseded records: each whole, as the rows it would have in requests and chunks.
--
-- Forgetting the record that superseded one brings it back from here.
CREATE TABLE versions AS
SELECT
    request.request_id,
    request.revision,
    request.record_hash,
    request,
    list(chunk) AS chunks
FROM requests AS request, chunks AS chunk
GROUP BY ALL
LIMIT 0
