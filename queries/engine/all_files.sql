-- Every input file, what became of it and why.
SELECT
    name,
    batch,
    format,
    bytes,
    state,
    note,
    read,
    rejected
FROM files
ORDER BY name
