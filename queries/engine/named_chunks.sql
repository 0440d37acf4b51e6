-- All chunks of the requests that were found.
SELECT chunk.*
FROM published_chunks AS chunk
INNER JOIN found ON chunk.day = found.day AND chunk.request_id = found.request_id
