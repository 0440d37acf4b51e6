-- How many labels of erased requests the batch brought.
SELECT count(*) FROM erased_labels
