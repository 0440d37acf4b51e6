-- Write the new file out and let go of it.
DETACH new
