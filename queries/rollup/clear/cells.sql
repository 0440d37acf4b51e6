-- Take the touched days out of cells.
DELETE FROM cells WHERE day IN (SELECT day FROM touched_days)
