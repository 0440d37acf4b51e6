-- Write down how a new store was made.
INSERT INTO settings (schema_version, time_zone, unit_key)
SELECT $schema_version, $time_zone, $unit_key
