"""Alarms in words, for the terminal and for the report."""
