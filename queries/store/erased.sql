-- Make the table of requests that were erased. A new store has it, and an older one gets it.

-- Requests that somebody asked to be erased. Their lines are rejected by this fingerprint, so that a file that is delivered again does not bring them back.
CREATE TABLE erased_requests (
    fingerprint UBIGINT NOT NULL,     -- 64 bits (MD5) over settings.unit_key, a space, and the request_id
    erased_on DATE NOT NULL           -- UTC
);
