-- No chunk, where none is needed.
FROM chunks LIMIT 0
