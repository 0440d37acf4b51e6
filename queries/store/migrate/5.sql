-- From schema version 4 to 5: chunks name what requests have in common by one key, and a view shows them as they were.
ALTER TABLE chunks RENAME TO whole_chunks;
UPDATE settings SET schema_version = 5
