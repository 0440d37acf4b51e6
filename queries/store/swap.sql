-- Make the tables of position-swap evaluations. A new store has them, and one of schema version 1 gets them.

-- One model, asked one set of questions in one way. What was asked and answered is not kept.
CREATE TABLE swap_runs (
    run VARCHAR NOT NULL,             -- first 16 hex digits of a SHA-256 over what it is and what came out; kept twice it is kept once
    model VARCHAR NOT NULL,           -- as requests name it, so that traffic can be held against it
    prompt_version VARCHAR NOT NULL,  -- the same; 'unknown' where nobody said
    route VARCHAR,                    -- whose requests the questions were made from; NULL: from no logs, or of several routes
    question_set VARCHAR,             -- the planned set, by the first 16 hex digits of its SHA-256; NULL: made elsewhere
    judge VARCHAR NOT NULL,           -- exact, alias, span, cited, command; given: the records came with their judgement
    source VARCHAR NOT NULL,          -- name of the file that it came from
    asked_on DATE NOT NULL,           -- day of the last answer, UTC; of a published sweep the day on which it was kept
    kept_at TIMESTAMP NOT NULL        -- UTC
);

-- One question, asked with its expected chunk at one position.
CREATE TABLE swap_results (
    run VARCHAR NOT NULL,
    question_id VARCHAR NOT NULL,
    draw INTEGER NOT NULL,            -- from 0: which draw of the other chunks
    position INTEGER NOT NULL,        -- of the expected chunk, 1..k
    k INTEGER NOT NULL,               -- chunks in the prompt
    tokens BIGINT,                    -- context tokens of the prompt; NULL: not known
    correct BOOLEAN                   -- judged right; NULL: no answer came, or none that could be judged
);
