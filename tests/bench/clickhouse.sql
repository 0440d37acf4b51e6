-- The same on ClickHouse: one pass over the file feeds both tables.
CREATE TABLE staged (
    request_id String,
    requested_at DateTime64(6, 'UTC'),
    route String,
    model String,
    release String,
    prompt_version String,
    index_version String,
    unit_id String,
    question_tokens Nullable(Int64),
    prompt_tokens Nullable(Int64),
    answer_tokens Nullable(Int64),
    budget_tokens Nullable(Int64),
    chunks Array(Tuple(
        chunk_id String,
        doc_id String,
        tokens Nullable(Int64),
        text_hash Nullable(String),
        signature Nullable(String),
        text Nullable(String),
        rank Nullable(Int32),
        position Nullable(Int32),
        cited Nullable(Bool),
        score Nullable(Float64),
        rerank_score Nullable(Float64)
    ))
) ENGINE = Null;

CREATE MATERIALIZED VIEW requests ENGINE = MergeTree ORDER BY () AS
SELECT * EXCEPT (chunks) FROM staged;

CREATE MATERIALIZED VIEW chunks ENGINE = MergeTree ORDER BY () AS
SELECT
    request_id,
    chunk.chunk_id AS chunk_id,
    chunk.doc_id AS doc_id,
    chunk.tokens AS tokens,
    chunk.text_hash AS text_hash,
    chunk.signature AS signature,
    chunk.rank AS rank,
    chunk.position AS position,
    chunk.cited AS cited,
    chunk.score AS score,
    chunk.rerank_score AS rerank_score,
    cityHash64(chunk.text) AS text_digest
FROM staged ARRAY JOIN chunks AS chunk;

INSERT INTO staged
SELECT * FROM file({log:String}, JSONEachRow)
SETTINGS max_threads = 2, date_time_input_format = 'best_effort';
