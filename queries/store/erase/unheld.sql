-- Requests that were asked for by name and of which nothing is held.
SELECT request_id
FROM erasing
WHERE
    request_id NOT IN (SELECT request_id FROM requests)
    AND request_id NOT IN (SELECT request_id FROM versions)
    AND request_id NOT IN (SELECT request_id FROM judgements)
    AND md5_number_lower(request_id) NOT IN (SELECT fingerprint FROM sealed_requests)
    AND md5_number_lower(format('{} {}', (SELECT unit_key FROM settings), request_id))
    NOT IN (SELECT fingerprint FROM erased_requests)
ORDER BY request_id
