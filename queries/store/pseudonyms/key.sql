-- Keep the key of the pseudonyms for this connection alone.
SET VARIABLE pseudonym_key = $key
