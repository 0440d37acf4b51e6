-- Take the counts of the days before `counts_before` out; the estimates of their weeks stay.
DELETE FROM cells WHERE day < $counts_before;
DELETE FROM cells_by_position WHERE day < $counts_before;
DELETE FROM ranks WHERE day < $counts_before;
DELETE FROM units WHERE day < $counts_before;
DELETE FROM days WHERE day < $counts_before;
DELETE FROM lengths WHERE day < $counts_before;
DELETE FROM documents WHERE week < $counts_before
