-- Of the combinations of dimensions that the file brought, drop those whose chunks were taken out.
DELETE FROM dimensions
WHERE
    dimension_key > (SELECT dimension FROM facts_before)
    AND dimension_key NOT IN (
        SELECT DISTINCT dimension_key
        FROM chunk_facts
        WHERE rowid > (SELECT chunk FROM facts_before)
    )
