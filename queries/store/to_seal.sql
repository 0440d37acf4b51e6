-- How many requests have facts on days before `before`.
SELECT count(*) FROM requests WHERE day < $before
