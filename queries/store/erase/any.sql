-- Whether any request was ever erased.
SELECT count(*) > 0 FROM erased_requests
