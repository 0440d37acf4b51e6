-- The slices of contested requests.
SELECT DISTINCT slice FROM sliced_requests ORDER BY slice
