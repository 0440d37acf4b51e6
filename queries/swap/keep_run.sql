-- Keep what a position-swap evaluation is.
INSERT INTO swap_runs
SELECT
    $run,
    $model,
    $prompt_version,
    $route,
    $question_set,
    $judge,
    $source,
    $asked_on,
    $kept_at
