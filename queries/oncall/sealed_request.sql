-- Whether a request stood on a day whose facts were dropped, and since when they are.
SELECT settings.sealed_before, settings.sealed_on
FROM settings, sealed_requests
WHERE sealed_requests.fingerprint = md5_number_lower($request_id)
LIMIT 1
