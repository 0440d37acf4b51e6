-- Begin the books anew: they are those of all runs that were published.
DELETE FROM batches;
DELETE FROM rejected_lines;
DELETE FROM judgements
