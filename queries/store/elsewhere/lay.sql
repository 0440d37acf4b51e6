-- Lay facts that were brought before the store's own, of which it has none; behind pseudonyms a view has their name.
DROP VIEW IF EXISTS temp.requests;
DROP VIEW IF EXISTS temp.chunks;
CREATE TEMP TABLE requests AS FROM found_requests;
CREATE TEMP TABLE chunks AS FROM found_chunks
