-- Keep what came out of it, handed in as the table `swapped`.
INSERT INTO swap_results
SELECT
    run,
    question_id,
    draw,
    position,
    k,
    tokens,
    correct
FROM swapped
