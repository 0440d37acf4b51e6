-- How many requests that count a batch carried later than a time, and the id and time of the first of them.
SELECT
    count(*) AS requests,
    arg_min(requests.request_id, (requests.requested_at, requests.request_id)) AS request_id,
    min(requests.requested_at) AS requested_at
FROM memberships
INNER JOIN requests ON
    memberships.request_id = requests.request_id
    AND memberships.record_hash = requests.record_hash
WHERE memberships.batch = $batch AND requests.requested_at > $latest::TIMESTAMP
