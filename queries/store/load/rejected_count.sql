-- How many staged lines are rejected.
SELECT count(*) FROM staged_rejected
