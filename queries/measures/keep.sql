-- Keep the estimates of a week in place of any that it had.
DELETE FROM week_estimates WHERE week IN (SELECT week FROM estimates);
INSERT INTO week_estimates BY NAME SELECT * FROM estimates
