"""Words, options, exit codes and progress: the only room that prints, reads the clock or catches our errors."""
