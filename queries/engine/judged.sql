-- Whether each labelled answer is right: the latest word counts; of several at one moment the smallest hash.
SELECT
    request_id,
    correct
FROM (
    SELECT
        request_id,
        correct,
        row_number() OVER (PARTITION BY request_id ORDER BY judged_at DESC, hash) AS place
    FROM said
    WHERE correct IS NOT NULL
) AS words
WHERE place = 1
