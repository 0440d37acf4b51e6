-- Take the touched days out of cells_by_position.
DELETE FROM cells_by_position WHERE day IN (SELECT day FROM touched_days)
