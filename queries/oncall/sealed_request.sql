-- Since when the request with this id is gone, if it stood on a day that was sealed.
SELECT settings.sealed_on
FROM settings
WHERE md5_number_lower($request_id) IN (SELECT fingerprint FROM sealed_requests)
