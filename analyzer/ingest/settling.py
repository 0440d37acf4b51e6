"""From one staged file to the facts: repeats left out, contested requests settled, days rolled up.

The outcome is a function of the records held and of which batches carry them, never of the order
of loading: of several records of one request the highest revision counts, then the smallest hash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer import rollup
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


def settle(con: Connection, batch: str, *, sorted_by_day: bool) -> None:
    """Bring what is staged into the facts, the books and the rollups."""
    _run(con, "load/memberships", batch=batch)
    shared = _leave_out_repeats(con, batch)
    _run(con, "load/judgements", batch=batch)
    shared |= _some(con, "load/shared_judgements", batch=batch)
    _run(con, "load/contested")
    if _some(con, "load/any_contested"):
        shared = True
        _run(con, "settle/withdraw")
        _run(con, "load/stage_versions")
        _run(con, "settle/choose")
    _run(con, "load/labelled")
    _run(con, "load/facts" if sorted_by_day else "load/facts_sorted")
    _run(con, "load/texts")
    if _some(con, "load/any_labelled"):
        _run(con, "settle/labels")
    rollup.rebuild(con)
    if shared:
        _run(con, "load/recounted", batch=batch)
        _run(con, "settle/recount")
    else:
        _run(con, "load/plain_counts", batch=batch)


def withdraw(con: Connection, batch: str) -> None:
    """Take a batch back: what only it carried goes, what it had superseded returns."""
    _run(con, "forget/batch", batch=batch)
    _run(con, "settle/withdraw")
    _run(con, "settle/choose")
    _run(con, "settle/labels")
    _run(con, "settle/orphans")
    rollup.rebuild(con)
    _run(con, "settle/recount")


def _leave_out_repeats(con: Connection, batch: str) -> bool:
    _run(con, "load/repeats", batch=batch)
    if not _some(con, "load/any_repeats"):
        return False
    _run(con, "load/drop_repeats")
    return True


def _some(con: Connection, name: str, **parameters: object) -> bool:
    row = con.execute(statement(f"store/{name}"), parameters).fetchone()
    return bool(row and row[0])


def _run(con: Connection, name: str, **parameters: object) -> None:
    run(con, f"store/{name}", **parameters)


def run(con: Connection, name: str, **parameters: object) -> None:
    """Every statement of one file, each with those of the parameters that it names."""
    for part in con.extract_statements(statement(name)):
        named = {key: parameters[key] for key in part.named_parameters}
        con.execute(part, named)
