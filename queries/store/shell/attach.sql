ATTACH $file AS citelog (READ_ONLY);
