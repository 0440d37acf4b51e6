-- Keep what came out of it.
INSERT INTO swap_results
SELECT
    run,
    question_id,
    draw,
    position,
    k,
    tokens,
    correct
FROM swap_arriving
