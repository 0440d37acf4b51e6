"""What the program says when something cannot be done.

A message is one sentence: where, what is wrong, and what holds instead or what to do. The
exit code travels with the error so that a scheduler can tell the kinds apart; only
`analyzer.cli` catches them.
"""

from __future__ import annotations


class CitelogError(Exception):
    """It could not be done; the message says why in one sentence."""

    exit_code = 1


class UsageError(CitelogError):
    """The request itself does not make sense: a wrong week, an unknown query or parameter."""

    exit_code = 2


class NothingThere(CitelogError):
    """There are no requests in the asked period."""

    exit_code = 5


class StoreLocked(CitelogError):
    """Another writer holds the store."""

    exit_code = 6


class Stopped(CitelogError):
    """Ctrl-C or a scheduler ended it, and what stands of it is not the store as last published."""

    exit_code = 130


def was_interrupted(error: BaseException) -> bool:
    """Whether it is Ctrl-C, of which DuckDB's client makes an error of its own in a statement."""
    return isinstance(error, RuntimeError) and str(error) == "Query interrupted"
