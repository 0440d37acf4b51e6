-- The combinations of dimensions that chunks have, by their keys.
SELECT * FROM dimensions
