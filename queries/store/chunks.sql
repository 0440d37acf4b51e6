-- Make the tables of retrieved chunks and the view that shows them. A new store has them, and an older one gets them.

-- What requests have in common, one row for each combination that a chunk has; repeated on every chunk these names are a quarter of what it costs to add.
CREATE TABLE dimensions (
    dimension_key INTEGER NOT NULL,   -- given by the writer that met the combination first; says nothing
    route VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    release VARCHAR NOT NULL,
    index_version VARCHAR NOT NULL,
    ordering_seen VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL
);

-- One retrieved chunk of a request that counts, as it is stored; questions read the view `chunks`.
CREATE TABLE chunk_facts (
    request_id VARCHAR NOT NULL,
    record_hash BIGINT NOT NULL,      -- of the record it stands in
    day DATE NOT NULL,
    dimension_key INTEGER NOT NULL,   -- of `dimensions`
    unit_group INTEGER NOT NULL,
    prompt_bucket INTEGER NOT NULL,
    k INTEGER,                        -- packed chunks of the request
    chunk_id VARCHAR NOT NULL,
    doc_id VARCHAR,
    ordinal BIGINT,                   -- place in its document
    indexed_at TIMESTAMP,             -- UTC
    doc_version VARCHAR,
    retrieval_id VARCHAR,
    rank INTEGER,                     -- by the last scorer before packing, 1 = best
    packed_rank INTEGER,              -- rank among the packed, 1..ranked, no gaps; NULL where several retrievals were packed together, or where rank or position was assumed
    position INTEGER,                 -- 1..K; NULL = not packed
    marker BIGINT,                    -- what the prompt called it, where that is not the position
    score DOUBLE,
    rerank_score DOUBLE,
    tokens BIGINT,
    fingerprint BIGINT,               -- its text, as a key of `texts`; NULL: neither text nor fingerprint was logged
    copies INTEGER,                   -- packed near-copies in its group, itself included; 1 = none; NULL = not compared
    copy_of INTEGER,                  -- position of its group's best-ranked chunk; NULL for that chunk itself
    exact_copy_of INTEGER,            -- the same among identical texts
    cited BOOLEAN,                    -- NULL: not packed, not answered, or citations unknown
    citations_known BOOLEAN NOT NULL, -- answered, something packed, and the record says what was cited
    expected BOOLEAN                  -- known to hold the answer; NULL: no label
);

-- A retrieved chunk with its request's dimensions beside it, so that no question needs a join of its own.
CREATE VIEW chunks AS
SELECT
    fact.request_id,
    fact.record_hash,
    fact.day,
    dimensions.route,
    dimensions.model,
    dimensions.release,
    dimensions.index_version,
    dimensions.ordering_seen,
    dimensions.outcome,
    fact.unit_group,
    fact.prompt_bucket,
    fact.k,
    fact.chunk_id,
    fact.doc_id,
    fact.ordinal,
    fact.indexed_at,
    fact.doc_version,
    fact.retrieval_id,
    fact.rank,
    fact.packed_rank,
    fact.position,
    fact.marker,
    CASE                              -- place: start, middle, end; only (K = 1); NULL = not packed
        WHEN fact.position IS NULL THEN NULL
        WHEN fact.k = 1 THEN 'only'
        WHEN 5 * (fact.position - 1) < fact.k - 1 THEN 'start'
        WHEN 5 * (fact.position - 1) > 4 * (fact.k - 1) THEN 'end'
        ELSE 'middle'
    END AS place,
    fact.score,
    fact.rerank_score,
    fact.tokens,
    fact.fingerprint,
    fact.copies,
    fact.copy_of,
    fact.exact_copy_of,
    fact.cited,
    fact.citations_known,
    fact.expected
FROM chunk_facts AS fact
INNER JOIN dimensions ON fact.dimension_key = dimensions.dimension_key;
