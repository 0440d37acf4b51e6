-- What was said about answers: labels that came later, and those in the records that count, made when it was asked.
SELECT
    label.request_id AS request_id,
    label.judged_at AS judged_at,
    label.judgement_hash AS hash,
    label.correct AS correct,
    label.names_expected AS names_expected,
    label.expected_chunk_ids AS expected
FROM parsed
INNER JOIN files ON parsed.label.file = files.name
WHERE parsed.label IS NOT NULL AND files.state IN ('loaded', 'cut')
UNION ALL
SELECT
    request.request_id AS request_id,
    request.requested_at AS judged_at,
    request.record_hash AS hash,
    request.logged_correct AS correct,
    request.names_expected AS names_expected,
    request.logged_expected AS expected
FROM won
WHERE request.logged_correct IS NOT NULL OR request.logged_expected IS NOT NULL
