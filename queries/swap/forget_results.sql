-- Take what came out of a run out of the store.
DELETE FROM swap_results
WHERE run = $run
