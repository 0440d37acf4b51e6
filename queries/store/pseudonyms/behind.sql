-- Whether this connection reads behind pseudonyms.
SELECT count(*) > 0 FROM duckdb_functions() WHERE function_name = 'pseudonym'
