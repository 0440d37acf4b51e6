-- Put views with pseudonyms before the tables that hold ids of requests, chunks and documents.
USE kept;

CREATE TEMP MACRO pseudonym(name) AS
CASE WHEN name IS NOT NULL THEN 'p-' || left(sha256(getvariable('pseudonym_key') || name), 12) END;

CREATE TEMP VIEW requests AS
SELECT * REPLACE (
    pseudonym(request_id) AS request_id,
    list_transform(logged_expected, lambda name: pseudonym(name)) AS logged_expected
)
FROM kept.main.requests;

CREATE TEMP VIEW versions AS
SELECT * EXCLUDE (request, chunks) REPLACE (pseudonym(request_id) AS request_id)
FROM kept.main.versions;

CREATE TEMP VIEW judgements AS
SELECT * REPLACE (
    pseudonym(request_id) AS request_id,
    list_transform(expected_chunk_ids, lambda name: pseudonym(name)) AS expected_chunk_ids
)
FROM kept.main.judgements;

CREATE TEMP VIEW memberships AS
SELECT * REPLACE (pseudonym(request_id) AS request_id) FROM kept.main.memberships;

CREATE TEMP VIEW documents AS
SELECT * REPLACE (pseudonym(doc_id) AS doc_id) FROM kept.main.documents;

-- The reason of a rejected line may quote a chunk's id.
CREATE TEMP VIEW rejected_lines AS
SELECT * REPLACE (
    CASE
        WHEN ends_with(path, 'chunk_id')
            THEN regexp_replace(reason, '".*"', format('"{}"', pseudonym(regexp_extract(reason, '"(.*)"', 1))))
        ELSE reason
    END AS reason
)
FROM kept.main.rejected_lines
