"""When two releases served side by side."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from analyzer import names
from analyzer.errors import NothingThere
from analyzer.stats.settings import LEAST_OF_A_RATE
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


def last_week_of_both(con: Connection, releases: tuple[str, str], route: str | None) -> date:
    """The Monday of the last week in which one route had enough of both, else some of both.

    Raises `NothingThere` where none had.
    """
    release, against = releases
    asked = {"release": release, "against": against, "route": route, "least": LEAST_OF_A_RATE}
    ((monday,),) = con.execute(statement("oncall/week_of_both"), asked).fetchall()
    if monday is None:
        raise NothingThere(
            f"no week has requests of both {names.shown(release)} and {names.shown(against)} on "
            "one route; citelog query labels_seen says when each was seen"
        )
    found: date = monday
    return found
