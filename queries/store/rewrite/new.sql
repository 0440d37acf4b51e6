-- Make the file that is to have none.
ATTACH $file AS new
