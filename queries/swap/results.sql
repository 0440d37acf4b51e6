-- What came out of one run.
SELECT
    question_id,
    draw,
    position,
    k,
    correct,
    tokens
FROM swap_results
WHERE run = $run
ORDER BY ALL
