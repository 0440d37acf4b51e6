-- How many blocks the file has, and how many of them hold nothing.
SELECT total_blocks, free_blocks
FROM pragma_database_size()
WHERE database_name = current_database()
