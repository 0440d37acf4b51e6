-- Take the touched days out of units.
DELETE FROM units WHERE day IN (SELECT day FROM touched_days)
