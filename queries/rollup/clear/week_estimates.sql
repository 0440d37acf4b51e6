-- Take the estimates of the touched weeks out; they are made again from the new counts.
DELETE FROM week_estimates WHERE week IN (SELECT week FROM touched_weeks)
