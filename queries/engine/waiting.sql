-- Labels of requests that no log has brought yet, each once a batch.
SELECT DISTINCT
    parsed.label.batch AS batch,
    parsed.label.request_id AS request_id,
    parsed.label.judged_at AS judged_at,
    parsed.label.correct AS correct,
    parsed.label.expected_chunk_ids AS expected_chunk_ids,
    parsed.label.score AS score,
    parsed.label.judge AS judge,
    parsed.label.judgement_hash AS judgement_hash
FROM parsed
INNER JOIN files ON parsed.label.file = files.name
LEFT JOIN (SELECT DISTINCT request_id FROM lines) AS told
    ON parsed.label.request_id = told.request_id
WHERE parsed.label IS NOT NULL AND files.state IN ('loaded', 'cut') AND told.request_id IS NULL
