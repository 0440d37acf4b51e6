-- Runs that a new one goes on from: of the same model, prompt, set and judge, with no outcome that differs from `swap_arriving`.
SELECT held.run
FROM swap_runs AS held
WHERE
    held.run <> $run
    AND held.model = $model
    AND held.prompt_version = $prompt_version
    AND held.question_set = $question_set
    AND held.judge = $judge
    AND held.route IS NOT DISTINCT FROM $route
    AND NOT EXISTS (
        FROM swap_results AS earlier
        LEFT JOIN swap_arriving AS now
            ON
                now.question_id = earlier.question_id
                AND now.draw = earlier.draw
                AND now.position = earlier.position
        WHERE
            earlier.run = held.run
            AND earlier.correct IS NOT NULL
            AND now.correct IS DISTINCT FROM earlier.correct
    )
ORDER BY held.run
