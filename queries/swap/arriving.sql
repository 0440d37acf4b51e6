-- What came out of a run, handed in as the table `swapped`, as it is kept: a question that was made from an erased request has a name that leads nowhere.
CREATE OR REPLACE TEMP TABLE swap_arriving AS
SELECT
    run,
    CASE
        WHEN erased_on IS NULL THEN question_id
        ELSE format('erased {}', left(md5(format('{} {}', unit_key, question_id)), 16))
    END AS question_id,
    draw,
    position,
    k,
    tokens,
    correct
FROM swapped
CROSS JOIN settings
LEFT JOIN erased_requests ON fingerprint = md5_number_lower(format('{} {}', unit_key, question_id))
