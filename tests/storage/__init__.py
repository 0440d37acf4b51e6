"""Object storage: a real S3 server on this machine, and what is read from and written to it."""
