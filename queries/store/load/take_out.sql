-- Take out all facts that the batch added.
DELETE FROM chunk_facts WHERE rowid > (SELECT chunk FROM facts_before);
DELETE FROM dimensions WHERE dimension_key > (SELECT dimension FROM facts_before);
DELETE FROM requests WHERE rowid > (SELECT request FROM facts_before);
DELETE FROM memberships WHERE batch = $batch
