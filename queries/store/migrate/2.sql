-- From schema version 1 to 2: what else a store holds since then stands in swap.sql.
UPDATE settings SET schema_version = 2
