-- Take the touched days out of days.
DELETE FROM days WHERE day IN (SELECT day FROM touched_days)
