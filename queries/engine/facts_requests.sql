-- The requests of the touched days.
SELECT requests.*
FROM requests
INNER JOIN touched_days ON requests.day = touched_days.day
