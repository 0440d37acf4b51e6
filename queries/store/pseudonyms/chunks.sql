-- Put pseudonyms before the chunks of a store of a schema version before 5, where they are a table.
CREATE TEMP VIEW chunks AS
SELECT * REPLACE (
    pseudonym(request_id) AS request_id,
    pseudonym(chunk_id) AS chunk_id,
    pseudonym(doc_id) AS doc_id
)
FROM kept.main.chunks
