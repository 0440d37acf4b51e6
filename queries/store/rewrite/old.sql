-- Open the file that has gaps.
ATTACH $file AS old (READ_ONLY)
