-- Requests whose id begins with what is given, the whole id first.
SELECT request_id, day
FROM requests
WHERE starts_with(request_id, $beginning)
ORDER BY request_id <> $beginning, request_id
LIMIT $most
