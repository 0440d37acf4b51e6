-- Make the tables of a store whose counts were made elsewhere. A new store has them, and an older one gets them.

-- A day whose counts came as published rollups; its facts are where it was counted.
CREATE TABLE elsewhere (
    day DATE NOT NULL,
    digest VARCHAR NOT NULL,          -- of its counts, as its manifest names it
    requests BIGINT NOT NULL,
    engine VARCHAR NOT NULL,          -- what counted it, with its version
    made_at TIMESTAMP NOT NULL        -- when it was counted, UTC
);

-- A week whose documents came so.
CREATE TABLE elsewhere_weeks (
    week DATE NOT NULL,               -- its Monday
    digest VARCHAR NOT NULL
);

-- What a report reads from single requests where it has them, counted of those that are elsewhere: where values came from.
CREATE TABLE origins (
    day DATE NOT NULL,
    route VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    release VARCHAR NOT NULL,
    rank_origin VARCHAR NOT NULL,
    position_origin VARCHAR NOT NULL,
    tokens_origin VARCHAR NOT NULL,
    cited_origin VARCHAR NOT NULL,
    requested_at_origin VARCHAR NOT NULL,
    shows_middle BOOLEAN NOT NULL,    -- citations are known of more than two packed chunks
    requests BIGINT NOT NULL
);

-- Requests that declare an ordering.
CREATE TABLE declared (
    day DATE NOT NULL,
    route VARCHAR NOT NULL,
    ordering VARCHAR NOT NULL,
    ordering_seen VARCHAR NOT NULL,
    packed INTEGER,
    requests BIGINT NOT NULL
);

-- Requests with a budget whose context tokens are known.
CREATE TABLE budgets (
    day DATE NOT NULL,
    route VARCHAR NOT NULL,
    budget_tokens BIGINT NOT NULL,
    requests BIGINT NOT NULL
);

-- Judged answers by the lower edges of the slices that their sizes fall into; NULL: not logged.
CREATE TABLE judged_slices (
    day DATE NOT NULL,
    route VARCHAR NOT NULL,
    unit_group INTEGER NOT NULL,
    question_tokens INTEGER,
    packed INTEGER,
    prompt_tokens INTEGER,
    judged BIGINT NOT NULL,
    correct BIGINT NOT NULL
);
