-- Let the store's own tables be seen again.
DROP TABLE temp.days;
DROP TABLE temp.ranks;
DROP TABLE temp.cells_by_position;
DROP TABLE temp.batches;
DROP TABLE temp.week_estimates
