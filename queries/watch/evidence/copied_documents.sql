-- Redundant copies that a route packed since the start, and those of documents indexed lately.
SELECT
    sum(copies)::BIGINT AS copies,
    sum(CASE WHEN latest_indexed_at IS NOT NULL THEN copies ELSE 0 END)::BIGINT AS dated,
    sum(CASE WHEN latest_indexed_at >= $indexed THEN copies ELSE 0 END)::BIGINT AS recent,
    count(*) FILTER (copies > 0)::BIGINT AS documents
FROM documents
WHERE route = $route AND week >= $start AND week < $next_day
