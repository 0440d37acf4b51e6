-- Erase the named requests, and remember their fingerprints, so that their lines stay out.
--
-- In the books their lines count as rejected from now on, as they will when they come again. A
-- sealed batch keeps its counts. A question of an evaluation that was made from one of them keeps
-- its result under a name that leads nowhere. Of sealed days only the samples of unit hashes change,
-- by the hash of an erased unit, or of a request that was its own unit.
INSERT INTO erased_requests
SELECT fingerprint, $today AS erased_on
FROM (
    SELECT md5_number_lower(format('{} {}', unit_key, request_id)) AS fingerprint
    FROM erasing, settings
)
WHERE fingerprint NOT IN (SELECT fingerprint FROM erased_requests);

INSERT INTO rejected_lines
SELECT
    batch,
    unnest(repeat([line], lines)) AS line,
    NULL AS byte_offset,
    'request_id' AS path,
    format('was erased on {}', $today) AS reason,
    '' AS line_hash
FROM memberships
JOIN batches USING (batch)
WHERE state <> 'sealed' AND request_id IN (SELECT request_id FROM erasing);

UPDATE batches
SET
    loaded = 0,
    duplicate = 0,
    superseded = 0,
    rejected = rejected + coalesce(
        (
            SELECT sum(lines) FROM memberships
            WHERE memberships.batch = batches.batch AND request_id IN (SELECT request_id FROM erasing)
        ),
        0
    ) + coalesce(
        (
            SELECT sum(lines) FROM judgements
            WHERE judgements.batch = batches.batch AND request_id IN (SELECT request_id FROM erasing)
        ),
        0
    )
WHERE state <> 'sealed' AND batch IN (SELECT batch FROM recounted);

DELETE FROM memberships WHERE request_id IN (SELECT request_id FROM erasing);
DELETE FROM judgements WHERE request_id IN (SELECT request_id FROM erasing);
DELETE FROM versions WHERE request_id IN (SELECT request_id FROM erasing);
DELETE FROM chunk_facts WHERE request_id IN (SELECT request_id FROM erasing);
DELETE FROM requests WHERE request_id IN (SELECT request_id FROM erasing);
DELETE FROM units
WHERE day < (SELECT sealed_before FROM settings) AND unit_hash IN (SELECT unnest($sampled));

UPDATE swap_results
SET question_id = format('erased {}', left(md5(format('{} {}', unit_key, question_id)), 16))
FROM settings
WHERE question_id IN (SELECT request_id FROM erasing)
