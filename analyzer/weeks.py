"""Which week is meant where none is named: the newest that is over.

The week that goes on is half a week, and a single line of a clock that is ahead opens one in a
year to come; neither may take over what every command shows by itself.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from analyzer.errors import NothingThere
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


def newest_over(con: Connection, today: date) -> date | None:
    """The Monday of the newest week with requests that ended before a day."""
    ended, _, _ = _newest(con, today)
    return ended


def newest(con: Connection, today: date) -> date:
    """The same, or where no week is over the newest that has begun.

    Raises `NothingThere` for an empty store.
    """
    ended, begun, _ = _newest(con, today)
    if begun is None:
        raise NothingThere("the store has no requests yet; citelog ingest loads some")
    return ended or begun


def last(con: Connection, today: date) -> tuple[str, date] | None:
    """`newest`, and what it is called in a sentence; None for an empty store."""
    ended, begun, held = _newest(con, today)
    if ended is not None and ended != held:
        return "last week that is over", ended
    return None if begun is None else ("last week", begun)


def _newest(con: Connection, today: date) -> tuple[date | None, date | None, date | None]:
    """The newest week that is over, that has begun (where none has, the newest), and of all."""
    asked = statement("measures/newest_weeks")
    [(ended, begun, held)] = con.execute(asked, {"today": today}).fetchall()
    return ended, begun, held
