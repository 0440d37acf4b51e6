-- Take the touched days out of ranks.
DELETE FROM ranks WHERE day IN (SELECT day FROM touched_days)
