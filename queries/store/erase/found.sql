-- What is held of the requests to erase, and what is not.
SELECT
    (SELECT count(*) FROM requests WHERE request_id IN (SELECT request_id FROM erasing)) AS requests,
    (SELECT count(*) FROM chunk_facts WHERE request_id IN (SELECT request_id FROM erasing)) AS chunks,
    (SELECT count(*) FROM versions WHERE request_id IN (SELECT request_id FROM erasing)) AS versions,
    (SELECT count(*) FROM judgements WHERE request_id IN (SELECT request_id FROM erasing)) AS judgements,
    (SELECT count(*) FROM texts) AS texts,
    (SELECT count(*) FROM recounted) AS batches,
    (
        SELECT count(*)
        FROM erasing
        WHERE md5_number_lower(request_id) IN (SELECT fingerprint FROM sealed_requests)
    ) AS sealed,
    (
        SELECT count(*)
        FROM units
        WHERE day < (SELECT sealed_before FROM settings) AND unit_hash IN (SELECT unnest($sampled))
    ) AS counted_units
