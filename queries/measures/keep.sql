-- Keep the estimates of a week.
INSERT INTO week_estimates BY NAME SELECT * FROM estimates
