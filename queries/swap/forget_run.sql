-- Take a run out of the store.
DELETE FROM swap_runs
WHERE run = $run
