-- From schema version 3 to 4: counts can be made elsewhere.
UPDATE settings SET schema_version = 4
