-- Whether several different records are held of any request of the batch.
SELECT count(*) > 0 FROM contested_requests
