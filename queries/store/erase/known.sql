-- The fingerprints of the requests that were erased.
SELECT fingerprint FROM erased_requests
