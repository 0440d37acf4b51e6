-- Drop the combinations of dimensions that no chunk has any more.
DELETE FROM dimensions
WHERE dimension_key NOT IN (SELECT dimension_key FROM chunk_facts)
