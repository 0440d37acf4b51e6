-- From schema version 2 to 3: requests can be erased.
UPDATE settings SET schema_version = 3
