-- What people said about alarms, oldest first.
SELECT event, said_at, kind, alarm, route, week, until, who, note FROM events ORDER BY said_at, event
