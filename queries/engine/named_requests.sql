-- The requests whose id begins as asked, the whole id first: enough of them to tell that there are several.
SELECT request.*
FROM published_requests AS request
INNER JOIN asked ON starts_with(request.request_id, asked.beginning)
ORDER BY CASE WHEN request.request_id = asked.beginning THEN 0 ELSE 1 END, request.request_id
LIMIT 4
