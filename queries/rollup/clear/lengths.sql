-- Take the touched days out of lengths.
DELETE FROM lengths WHERE day IN (SELECT day FROM touched_days)
