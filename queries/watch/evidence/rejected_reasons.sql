-- Why lines were rejected in the files loaded since the start, the commonest reason first.
SELECT
    regexp_replace(line.path, '\[\d+\]', '[]', 'g') AS path,
    mode(line.reason ORDER BY line.reason) AS reason,
    count(*)::BIGINT AS lines
FROM rejected_lines AS line
INNER JOIN batches AS batch ON line.batch = batch.batch
WHERE batch.loaded_at >= $start AND batch.loaded_at < $next_day
GROUP BY ALL
ORDER BY lines DESC, path
LIMIT 1
