"""Formats of other tools, a module each: documents to the fields of citation log records."""
