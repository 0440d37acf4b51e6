-- Open the store beside an empty database, under a name that the views below know.
ATTACH $file AS kept (READ_ONLY)
