-- Take what a report reads beside the rollups out for the touched days, and what is known of them.
DELETE FROM origins WHERE day IN (SELECT day FROM touched_days);
DELETE FROM declared WHERE day IN (SELECT day FROM touched_days);
DELETE FROM budgets WHERE day IN (SELECT day FROM touched_days);
DELETE FROM judged_slices WHERE day IN (SELECT day FROM touched_days);
DELETE FROM elsewhere WHERE day IN (SELECT day FROM touched_days);
DELETE FROM elsewhere_weeks WHERE week IN (SELECT week FROM touched_weeks)
