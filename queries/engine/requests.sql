-- Every request, by the record of it that counts, with what is known about its answer.
SELECT
    request.*,
    judged.correct AS correct,
    fates.expected AS expected,
    CASE
        WHEN fates.request_id IS NULL OR held.request.packed IS NULL THEN NULL
        WHEN fates.cited > 0 THEN 'cited'
        WHEN fates.unknown > 0 THEN 'unknown_citation'
        WHEN fates.packed > 0 THEN 'uncited'
        WHEN fates.retrieved > 0 THEN 'cut'
        ELSE 'not_retrieved'
    END AS expected_outcome,
    CASE
        WHEN fates.packed = 1 THEN fates.place
        WHEN fates.packed > 1 THEN 'several'
    END AS expected_place
FROM won AS held
LEFT JOIN judged ON held.request.request_id = judged.request_id
LEFT JOIN fates ON held.request.request_id = fates.request_id
