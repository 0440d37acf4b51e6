-- The least that loading costs: read the file once with its types known, and keep both tables.
-- Nothing is checked, no duplicate is looked for, and nothing is counted. Of a text 64 bits stay.
SET threads = 2;

CREATE TEMP TABLE staged AS
SELECT *
FROM read_json(
    getvariable('log'),
    format = 'newline_delimited',
    columns = {
        request_id: 'VARCHAR',
        requested_at: 'TIMESTAMPTZ',
        route: 'VARCHAR',
        model: 'VARCHAR',
        release: 'VARCHAR',
        prompt_version: 'VARCHAR',
        index_version: 'VARCHAR',
        unit_id: 'VARCHAR',
        question_tokens: 'BIGINT',
        prompt_tokens: 'BIGINT',
        answer_tokens: 'BIGINT',
        budget_tokens: 'BIGINT',
        chunks: 'STRUCT(
            chunk_id VARCHAR, doc_id VARCHAR, tokens BIGINT, text_hash VARCHAR, signature VARCHAR,
            text VARCHAR, rank INTEGER, "position" INTEGER, cited BOOLEAN, score DOUBLE,
            rerank_score DOUBLE
        )[]'
    }
);

CREATE TABLE requests AS SELECT * EXCLUDE (chunks) FROM staged;

CREATE TABLE chunks AS
SELECT request_id, chunk.* EXCLUDE (text), hash(chunk.text) AS text_digest
FROM (SELECT request_id, unnest(chunks) AS chunk FROM staged);
