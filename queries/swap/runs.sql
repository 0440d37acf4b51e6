-- Every run that is kept and was asked before a day, the latest first.
SELECT
    run,
    model,
    prompt_version,
    route,
    question_set,
    judge,
    source,
    asked_on
FROM swap_runs
WHERE
    $before IS NULL
    OR asked_on < $before
ORDER BY
    asked_on DESC,
    kept_at DESC,
    run
