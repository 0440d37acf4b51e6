-- Whether any staged line repeats a record.
SELECT count(*) > 0 FROM repeated_lines
