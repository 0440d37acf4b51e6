-- Keep one event, once.
INSERT INTO events
SELECT $event, $said_at, $kind, $alarm, $route, $week, $until, $who, $note
WHERE $event NOT IN (SELECT event FROM events)
