"""Words, options, exit codes, progress.

The only room that prints, reads the clock or catches our errors. Its modules import the rest of
the program inside commands, so that `citelog --help` loads neither a database nor charts.
"""
