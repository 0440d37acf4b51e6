-- Take in the chunks of the table `whole_chunks`, which are rows as the view `chunks` shows them.
INSERT INTO dimensions
SELECT
    (SELECT coalesce(max(dimension_key), 0) FROM dimensions) + row_number() OVER () AS dimension_key,
    *
FROM (
    SELECT route, model, release, index_version, ordering_seen, outcome FROM whole_chunks
    EXCEPT
    SELECT route, model, release, index_version, ordering_seen, outcome FROM dimensions
);

INSERT INTO chunk_facts BY NAME
SELECT
    whole_chunks.* EXCLUDE (route, model, release, index_version, ordering_seen, outcome, place),
    dimensions.dimension_key
FROM whole_chunks
INNER JOIN dimensions USING (route, model, release, index_version, ordering_seen, outcome);

DROP TABLE whole_chunks
