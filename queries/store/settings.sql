-- How the store was made; one row.
SELECT schema_version, time_zone, unit_key, sealed_before, sealed_on FROM settings
