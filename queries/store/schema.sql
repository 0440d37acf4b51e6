-- Make an empty store: every table, every column with its meaning and unit. (Retrieved chunks: chunks.sql; superseded records: versions.sql; position-swap evaluations: swap.sql.)
--
-- Times are UTC TIMESTAMP; `day` is the calendar day in the store's report time zone (settings.time_zone).
-- Dimensions that were not logged read 'unknown'. NULL always means "not logged" or "not known", never 0.

-- How this store was made; one row.
CREATE TABLE settings (
    schema_version INTEGER NOT NULL,  -- version of this file
    time_zone VARCHAR NOT NULL,       -- IANA name; cuts days, fixed when the store is made
    unit_key VARCHAR NOT NULL,        -- hex key of the hash that counts distinct units
    sealed_before DATE,               -- days before this one are sealed: their rollups stand, their facts are gone
    sealed_on DATE                    -- when that was decided
);

-- What one file brought. read = loaded + duplicate + superseded + rejected.
CREATE TABLE batches (
    batch VARCHAR NOT NULL,           -- first 32 hex digits of the file's SHA-256
    file VARCHAR NOT NULL,            -- path as it was given; 'stdin' for a pipe
    format VARCHAR NOT NULL,          -- jsonl, nested_parquet, flat_parquet, flat_csv
    bytes BIGINT NOT NULL,            -- size of the file as stored
    state VARCHAR NOT NULL,           -- loaded; cut (the file ended early, what came before is loaded); set_aside (too much rejected, nothing loaded, every line counts as rejected); sealed (some of its days are)
    read BIGINT NOT NULL,             -- lines (flat formats: requests) that held something
    loaded BIGINT NOT NULL,           -- lines whose record counts, attributed to the carrying batch with the smallest hash
    duplicate BIGINT NOT NULL,        -- lines whose record another line brings already
    superseded BIGINT NOT NULL,       -- lines whose record lost to another record of the same request
    rejected BIGINT NOT NULL,         -- lines that could not become a record
    judgements BIGINT NOT NULL,       -- of the lines read, how many were judgements
    unknown_fields BIGINT NOT NULL,   -- fields that the record does not have; counted and left out
    loaded_at TIMESTAMP NOT NULL      -- when the batch was published
);

-- One answered (or refused, failed, cached) request: the record that counts.
CREATE TABLE requests (
    request_id VARCHAR NOT NULL,
    revision BIGINT NOT NULL,
    record_hash BIGINT NOT NULL,      -- 64 bits over the canonical record
    requested_at TIMESTAMP NOT NULL,  -- UTC
    day DATE NOT NULL,                -- in the report time zone
    route VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    release VARCHAR NOT NULL,
    prompt_version VARCHAR NOT NULL,
    index_version VARCHAR NOT NULL,
    unit_group INTEGER NOT NULL,      -- 0..19, the jackknife group of the unit
    unit_hash BIGINT NOT NULL,        -- keyed hash of the unit, only to count distinct ones
    unit_logged BOOLEAN NOT NULL,     -- false: the unit is the request itself
    ordering VARCHAR,                 -- as declared
    explored BOOLEAN NOT NULL,        -- the order was drawn at random on purpose
    ordering_seen VARCHAR NOT NULL,   -- every ordering that ranks and positions agree with, joined by |; explored, short (fewer than 3 packed), unranked, other
    outcome VARCHAR NOT NULL,         -- answered, refused, error, cached
    exposure VARCHAR NOT NULL,        -- packed, cited_only, pruned
    weight BIGINT NOT NULL,           -- sample_weight in thousandths; scales totals, never estimates
    question_tokens BIGINT,
    prompt_tokens BIGINT,             -- as the server counted them
    answer_tokens BIGINT,
    budget_tokens BIGINT,             -- budget of the packed chunks
    prompt_bucket INTEGER NOT NULL,   -- lower edge of the prompt-token bucket: 0, 1500, 3000, 6000, 12000; -1 not logged
    retrieved INTEGER NOT NULL,       -- chunks retrieved
    packed INTEGER,                   -- K; NULL where the exposure does not list all packed chunks
    ranked INTEGER,                   -- packed chunks that have a packed rank
    cited INTEGER,                    -- packed chunks cited; NULL: not answered, nothing packed, or citations unknown
    citations INTEGER,                -- citations made, repeats and strays included
    stray INTEGER,                    -- citations of something that was not packed
    holes INTEGER NOT NULL,           -- positions closed by renumbering
    context_tokens BIGINT,            -- tokens of all packed chunks; NULL where one of them is not known
    context_bin INTEGER,              -- its DDSketch bin (relative accuracy 0.5 %); -1 holds zero
    at_budget BOOLEAN,                -- context tokens reach 95 % of the budget
    prompt_cut BOOLEAN,               -- prompt tokens are fewer than the context tokens
    compared INTEGER,                 -- K where every packed chunk could be compared with the others (always for K = 1), else NULL
    involved INTEGER,                 -- packed chunks with at least one near-copy beside them
    redundant INTEGER,                -- K minus the number of groups of near-copies
    redundant_exact INTEGER,          -- the same for identical text
    redundant_tokens BIGINT,          -- tokens of the redundant chunks
    missing_rank INTEGER NOT NULL,    -- packed chunks without a rank
    missing_tokens INTEGER NOT NULL,  -- packed chunks without tokens
    missing_document INTEGER NOT NULL, -- packed chunks that name no document
    missing_text INTEGER NOT NULL,    -- packed chunks without any fingerprint
    documented INTEGER,               -- K where every packed chunk names its document, else NULL
    largest_document INTEGER,         -- packed chunks of the document that has most of them
    logged_correct BOOLEAN,           -- `correct` in the record itself
    logged_expected VARCHAR[],        -- `expected_chunk_ids` in the record itself
    correct BOOLEAN,                  -- the judgement that counts
    expected INTEGER,                 -- chunks known to hold the answer; NULL: no label
    expected_outcome VARCHAR,         -- best fate of an expected chunk: not_retrieved, cut, uncited, cited; unknown_citation
    expected_place VARCHAR,           -- place of the expected chunk where exactly one is packed; several; NULL none packed
    rank_origin VARCHAR NOT NULL,     -- logged, parsed, counted, derived, estimated, assumed
    position_origin VARCHAR NOT NULL,
    tokens_origin VARCHAR NOT NULL,
    cited_origin VARCHAR NOT NULL,
    requested_at_origin VARCHAR NOT NULL
);

-- A distinct text that some held record carries, known by its fingerprints alone.
CREATE TABLE texts (
    fingerprint BIGINT NOT NULL,      -- 64 bits over the three columns below
    text_hash BIGINT,                 -- 64 bits over the normalised text; NULL: only the signature was logged
    s0 BIGINT,                        -- first 64 of the 128 one-bit MinHash minima; NULL: only the hash was logged
    s1 BIGINT                         -- last 64
);

-- Which batches carried which record, so that forgetting one is exact.
CREATE TABLE memberships (
    request_id VARCHAR NOT NULL,
    record_hash BIGINT NOT NULL,
    batch VARCHAR NOT NULL,
    line BIGINT NOT NULL,             -- first line of the batch that carries it, from 1
    lines BIGINT NOT NULL             -- how many of its lines do
);

-- A label, as one batch brought it. The latest judged_at counts, field by field; then the smallest hash.
CREATE TABLE judgements (
    request_id VARCHAR NOT NULL,
    judged_at TIMESTAMP NOT NULL,     -- UTC
    correct BOOLEAN,
    expected_chunk_ids VARCHAR[],
    score DOUBLE,
    judge VARCHAR,
    judgement_hash BIGINT NOT NULL,
    batch VARCHAR NOT NULL,
    lines BIGINT NOT NULL
);

-- A line that could not become a record: where and why, never its text.
CREATE TABLE rejected_lines (
    batch VARCHAR NOT NULL,
    line BIGINT NOT NULL,             -- from 1; flat formats: the first row of the request
    byte_offset BIGINT,               -- of the line in the unpacked file; NULL for Parquet
    path VARCHAR NOT NULL,            -- the field, as chunks[3].rank; empty: the line as a whole
    reason VARCHAR NOT NULL,
    line_hash VARCHAR NOT NULL        -- first 16 hex digits of the line's SHA-256; of a line for a sealed day, which was read already: its record's hash
);

-- Requests whose facts were dropped when their day was sealed; they never count again.
CREATE TABLE sealed_requests (
    fingerprint UBIGINT NOT NULL      -- 64 bits (MD5) over request_id
);

-- Additive counts of packed chunks of answered requests, by stratum and place.
CREATE TABLE cells (
    day DATE NOT NULL,
    route VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    release VARCHAR NOT NULL,
    ordering_seen VARCHAR NOT NULL,
    k INTEGER NOT NULL,
    packed_rank INTEGER,
    place VARCHAR NOT NULL,
    prompt_bucket INTEGER NOT NULL,
    unit_group INTEGER NOT NULL,
    packed BIGINT NOT NULL,           -- packed chunks whose citations are known
    cited BIGINT NOT NULL,
    expected BIGINT NOT NULL,         -- packed expected chunks of requests that have exactly one of them packed
    judged BIGINT NOT NULL,           -- of those, the request is judged
    correct BIGINT NOT NULL           -- of those, judged right
);

-- The same by exact position, for maps and the negative control.
CREATE TABLE cells_by_position (
    day DATE NOT NULL,
    route VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    release VARCHAR NOT NULL,
    ordering_seen VARCHAR NOT NULL,
    k INTEGER NOT NULL,
    packed_rank INTEGER,
    position INTEGER NOT NULL,
    unit_group INTEGER NOT NULL,
    packed BIGINT NOT NULL,
    cited BIGINT NOT NULL
);

-- Retrieved ranks of answered requests.
CREATE TABLE ranks (
    day DATE NOT NULL,
    route VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    release VARCHAR NOT NULL,
    rank INTEGER NOT NULL,
    unit_group INTEGER NOT NULL,
    retrieved BIGINT NOT NULL,        -- retrieved chunks of requests whose citations are known
    packed BIGINT NOT NULL,
    cited BIGINT NOT NULL
);

-- The 40 smallest unit hashes a day and scope: a mergeable count of distinct units up to 40.
CREATE TABLE units (
    day DATE NOT NULL,
    route VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    release VARCHAR NOT NULL,
    unit_hash BIGINT NOT NULL
);

-- Additive counts of requests.
CREATE TABLE days (
    day DATE NOT NULL,
    route VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    release VARCHAR NOT NULL,
    prompt_version VARCHAR NOT NULL,
    index_version VARCHAR NOT NULL,
    ordering_seen VARCHAR NOT NULL,
    unit_group INTEGER NOT NULL,
    requests BIGINT NOT NULL,
    weight BIGINT NOT NULL,               -- thousandths
    answered BIGINT NOT NULL,
    refused BIGINT NOT NULL,
    errors BIGINT NOT NULL,
    cached BIGINT NOT NULL,
    unlisted BIGINT NOT NULL,             -- answered, but the log does not list all packed chunks (cited_only, pruned)
    without_context BIGINT NOT NULL,      -- answered with nothing packed
    citations_known BIGINT NOT NULL,      -- answered with something packed and citations known; the base of the five below
    citation_free BIGINT NOT NULL,        -- no packed chunk cited
    known_retrieved BIGINT NOT NULL,      -- chunks
    known_packed BIGINT NOT NULL,         -- chunks
    cited BIGINT NOT NULL,                -- chunks
    citations BIGINT NOT NULL,            -- citations made, repeats and strays included
    stray BIGINT NOT NULL,                -- citations of something that was not packed
    retrieved BIGINT NOT NULL,            -- chunks of all requests
    packed BIGINT NOT NULL,               -- chunks of all requests that list them
    holes BIGINT NOT NULL,
    context_known BIGINT NOT NULL,        -- requests with context tokens
    context_tokens BIGINT NOT NULL,
    weighted_context_tokens BIGINT NOT NULL,  -- times weight, thousandths
    budgeted BIGINT NOT NULL,             -- requests with a budget and context tokens
    at_budget BIGINT NOT NULL,
    prompt_compared BIGINT NOT NULL,      -- requests with prompt tokens and context tokens
    prompt_cut BIGINT NOT NULL,
    compared BIGINT NOT NULL,             -- packed chunks that could be compared with the others
    involved BIGINT NOT NULL,
    redundant BIGINT NOT NULL,
    redundant_exact BIGINT NOT NULL,
    redundant_tokens BIGINT NOT NULL,
    weighted_redundant_tokens BIGINT NOT NULL,  -- times weight, thousandths
    documented BIGINT NOT NULL,           -- packed chunks of requests whose packed chunks all name their document
    largest_document BIGINT NOT NULL,     -- of those, chunks of the request's largest document
    judged BIGINT NOT NULL,
    correct BIGINT NOT NULL,
    expected_known BIGINT NOT NULL,       -- requests with a label of the expected chunk; the base of the five below
    expected_not_retrieved BIGINT NOT NULL,
    expected_cut BIGINT NOT NULL,
    expected_uncited BIGINT NOT NULL,
    expected_cited BIGINT NOT NULL,
    expected_unknown_citation BIGINT NOT NULL,
    wrong_expected_known BIGINT NOT NULL, -- the same for requests judged wrong
    wrong_expected_not_retrieved BIGINT NOT NULL,
    wrong_expected_cut BIGINT NOT NULL,
    wrong_expected_uncited BIGINT NOT NULL,
    wrong_expected_cited BIGINT NOT NULL,
    wrong_expected_unknown_citation BIGINT NOT NULL,
    unpacked_judged BIGINT NOT NULL,      -- judged, labelled, no expected chunk packed
    unpacked_correct BIGINT NOT NULL,
    missing_unit BIGINT NOT NULL,         -- requests
    missing_prompt_tokens BIGINT NOT NULL, -- requests
    missing_citations BIGINT NOT NULL,    -- answered requests with something packed, citations unknown
    missing_rank BIGINT NOT NULL,         -- packed chunks
    missing_tokens BIGINT NOT NULL,       -- packed chunks
    missing_document BIGINT NOT NULL,     -- packed chunks
    missing_text BIGINT NOT NULL,         -- packed chunks without any fingerprint
    rank_not_logged BIGINT NOT NULL,      -- requests whose origin is not "logged"
    position_not_logged BIGINT NOT NULL,
    tokens_not_logged BIGINT NOT NULL,
    cited_not_logged BIGINT NOT NULL,
    requested_at_not_logged BIGINT NOT NULL
);

-- Additive counts of requests by the bin of their context tokens; percentiles are read out of it.
CREATE TABLE lengths (
    day DATE NOT NULL,
    route VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    release VARCHAR NOT NULL,
    unit_group INTEGER NOT NULL,
    context_bin INTEGER NOT NULL,
    requests BIGINT NOT NULL
);

-- The documents that fill most of a week's prompts: the 200 with most packed chunks and the 200 with most redundant copies, per week and route.
CREATE TABLE documents (
    week DATE NOT NULL,               -- its Monday
    route VARCHAR NOT NULL,
    doc_id VARCHAR NOT NULL,
    index_version VARCHAR NOT NULL,
    packed BIGINT NOT NULL,           -- chunks
    cited BIGINT NOT NULL,
    copies BIGINT NOT NULL,           -- redundant packed chunks
    copy_tokens BIGINT NOT NULL,      -- their tokens
    first_copy_on DATE,               -- first day of the week on which one was packed
    latest_indexed_at TIMESTAMP       -- newest copy packed, UTC
);

-- What was estimated of a week, made again for each week that a change touched.
CREATE TABLE week_estimates (
    week DATE NOT NULL,               -- its Monday
    route VARCHAR NOT NULL,
    measure VARCHAR NOT NULL,
    value DOUBLE,                     -- in the measure's own unit; NULL: nothing to estimate, or refused
    se DOUBLE,                        -- jackknife standard error over unit groups, with its floor
    df INTEGER NOT NULL,              -- non-empty unit groups - 1
    requests BIGINT NOT NULL,         -- what decides whether the week is eligible
    base BIGINT NOT NULL,             -- the denominator: what the value is a share or mean of
    size DOUBLE NOT NULL,             -- how much the week weighs: requests, for the dip H
    verdict VARCHAR NOT NULL,         -- OK, or why the dip is refused
    leave_one_outs DOUBLE[] NOT NULL  -- the estimate without each of the 20 unit groups
);

-- What people and nights said about alarms, in the order it was said; nothing is ever changed or taken out.
CREATE TABLE events (
    event VARCHAR NOT NULL,           -- hash of what follows; the same event merges once
    said_at TIMESTAMP NOT NULL,       -- UTC
    kind VARCHAR NOT NULL,            -- of people: ack, note, mute (until a day), unmute, exclude (a week from baselines), include (takes that back); of the night: raised, told, over
    alarm VARCHAR,                    -- id of the alarm it is about; NULL for an excluded week
    route VARCHAR,                    -- of an excluded week or a raised alarm; NULL: every route
    week DATE,                        -- the excluded week, or the one in which it was raised; its Monday
    until DATE,                       -- last day of a mute; of an unmute the day before it was said
    who VARCHAR,
    note VARCHAR                      -- free text; of a raised alarm its numbers as JSON, of told: what was (raised, over)
);
