-- Settle what is known about the answers of the labelled requests.
--
-- A label in the record itself is a judgement made at `requested_at`. The latest one counts, field
-- by field; of several at one moment the one with the smallest hash.
CREATE OR REPLACE TEMP TABLE labels AS
WITH said AS (
    SELECT request_id, judged_at, judgement_hash AS hash, correct, expected_chunk_ids AS expected
    FROM judgements
    WHERE request_id IN (SELECT request_id FROM labelled_requests)
    UNION ALL
    SELECT request_id, requested_at, record_hash, logged_correct, logged_expected
    FROM requests
    WHERE request_id IN (SELECT request_id FROM labelled_requests)
)

SELECT
    request_id,
    first(correct ORDER BY judged_at DESC, hash) FILTER (correct IS NOT NULL) AS correct,
    first(expected ORDER BY judged_at DESC, hash) FILTER (len(expected) > 0) AS expected
FROM said
GROUP BY request_id;

UPDATE chunk_facts
SET expected = list_contains(labels.expected, chunk_facts.chunk_id)
FROM labels
WHERE chunk_facts.request_id = labels.request_id;

CREATE OR REPLACE TEMP TABLE fates AS
SELECT
    labels.request_id,
    any_value(labels.correct) AS correct,
    any_value(len(list_distinct(labels.expected))) AS expected,
    any_value(labels.expected IS NOT NULL) AS known,
    count(*) FILTER (chunk.expected) AS retrieved,
    count(*) FILTER (chunk.expected AND chunk.position IS NOT NULL) AS packed,
    count(*) FILTER (chunk.expected AND chunk.cited) AS cited,
    count(*) FILTER (chunk.expected AND chunk.position IS NOT NULL AND chunk.cited IS NULL) AS unknown,
    any_value(chunk.place) FILTER (chunk.expected) AS place
FROM labels
LEFT JOIN chunks AS chunk ON chunk.request_id = labels.request_id
GROUP BY labels.request_id;

UPDATE requests
SET
    correct = fates.correct,
    expected = fates.expected,
    expected_outcome = CASE
        WHEN NOT fates.known OR requests.packed IS NULL THEN NULL
        WHEN fates.cited > 0 THEN 'cited'
        WHEN fates.unknown > 0 THEN 'unknown_citation'
        WHEN fates.packed > 0 THEN 'uncited'
        WHEN fates.retrieved > 0 THEN 'cut'
        ELSE 'not_retrieved'
    END,
    expected_place = CASE
        WHEN fates.packed = 1 THEN fates.place
        WHEN fates.packed > 1 THEN 'several'
    END
FROM fates
WHERE requests.request_id = fates.request_id;

INSERT INTO touched_days
SELECT DISTINCT day FROM requests WHERE request_id IN (SELECT request_id FROM labelled_requests)
