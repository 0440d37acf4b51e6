-- Put pseudonyms before the chunks: the view `chunks` of the store finds this one in the place of its table.
CREATE TEMP VIEW chunk_facts AS
SELECT * REPLACE (
    pseudonym(request_id) AS request_id,
    pseudonym(chunk_id) AS chunk_id,
    pseudonym(doc_id) AS doc_id
)
FROM kept.main.chunk_facts
