-- Leave out the staged lines that repeat a record.
DELETE FROM staged_requests WHERE line IN (SELECT line FROM repeated_lines);
DELETE FROM staged_chunks WHERE line IN (SELECT line FROM repeated_lines)
