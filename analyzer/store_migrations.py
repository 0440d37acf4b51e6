"""An older store is brought forward, one schema version after the other, in a writer's draft.

So the old file stands until the new one is published, a writer that is killed on the way leaves
it as it was, and readers of a store that no writer has touched yet see what it held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.assets import shipped

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

# What leads to a version from the one before it; a new store is made by the same statements.
STEPS = {
    2: ("store/swap", "store/migrate/2"),
    3: ("store/erased", "store/migrate/3"),
    4: ("store/elsewhere", "store/migrate/4"),
    5: ("store/migrate/5", "store/chunks", "store/whole_chunks"),
}


def forward(con: Connection, held: int, goal: int) -> None:
    """Bring a draft of schema version `held` to `goal`: all steps or none."""
    if held == goal:
        return
    con.begin()
    for version in range(held + 1, goal + 1):
        for name in STEPS[version]:
            con.execute((shipped("queries") / f"{name}.sql").read_text(encoding="utf-8"))
    con.commit()
