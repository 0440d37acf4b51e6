-- Take the touched weeks out of documents.
DELETE FROM documents WHERE week IN (SELECT week FROM touched_weeks)
