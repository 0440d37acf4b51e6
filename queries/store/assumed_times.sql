-- How many requests that count a batch carried, and how many of them came without a time.
SELECT
    count(*) AS requests,
    count(*) FILTER (requests.requested_at_origin = 'assumed') AS assumed
FROM memberships
INNER JOIN requests ON
    memberships.request_id = requests.request_id
    AND memberships.record_hash = requests.record_hash
WHERE memberships.batch = $batch
