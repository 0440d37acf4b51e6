-- The same for questions of evaluations, which may be named after requests.
CREATE TEMP VIEW swap_results AS
SELECT * REPLACE (pseudonym(question_id) AS question_id) FROM kept.main.swap_results
