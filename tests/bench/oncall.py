"""What an investigation costs on a store of 20 million chunks: its queries, and the command.

python -m tests.bench.oncall STORE ROUNDS

The store is the sample logs many times over, under ids of their own, day by day, so that a day's
rows lie together as they do in a store that grew night by night.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .running import CITELOG, PYTHON, TOP, CouldNotRun, fresh, run, tell
from .stores import Held
from .table import markdown, middle, number, verdict

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

QUERIES_GOAL = 300.0  # milliseconds
COMMAND_GOAL = 1.5  # seconds
_DOCS = ("--since", "2026-10-12", "--route", "docs", "--metric")
ASKED = {  # the arguments of `citelog investigate`
    "an alarm, near-copies": ("2026-W47-support-near-copies",),
    "position effect": (*_DOCS, "dip"),
    "cited in the middle": (*_DOCS, "cited-in-middle"),
    "cited rank": (*_DOCS, "cited-rank"),
    "context tokens": (*_DOCS, "context-tokens"),
}
_FACTS = {
    "requests": """
        INSERT INTO requests SELECT r.* REPLACE (
            r.request_id || '-' || i AS request_id,
            xor(r.record_hash, i * 2654435761) AS record_hash,
            xor(r.unit_hash, i * 40503) AS unit_hash
        ) FROM small.requests AS r, range($copies) AS t (i) WHERE r.day = $day
        ORDER BY r.requested_at""",
    "chunks": """
        INSERT INTO chunk_facts SELECT c.* REPLACE (
            c.request_id || '-' || i AS request_id,
            xor(c.record_hash, i * 2654435761) AS record_hash
        ) FROM small.chunk_facts AS c, range($copies) AS t (i) WHERE c.day = $day ORDER BY i""",
}


def investigated(store: Held, chunks: int, rounds: int) -> Iterator[str]:
    """Each investigation on the store grown to so many chunks, as Markdown."""
    tell(f"growing {store.name} to {chunks:,} chunks")
    yield f"## Investigations on {chunks:,} chunks\n\nMedian of {rounds} rounds.\n"
    try:
        grown = Path(run(PYTHON, "-m", "tests.bench.oncall", store.path, str(chunks)).said.strip())
        tell("investigating")
        spent = json.loads(run(PYTHON, "-m", "tests.bench.oncall", grown, f"x{rounds}").said)
        rows = [_row(grown, name, cost, rounds) for name, cost in spent.items()]
    except CouldNotRun as fault:
        yield f"Not measured: {fault}"
        return
    yield markdown(("investigation", "queries ms", "of CPU ms", "command s"), map(_written, rows))
    yield _said("queries", max(row[1] for row in rows), QUERIES_GOAL, "ms")
    yield _said("command", max(row[3] for row in rows), COMMAND_GOAL, "s")


Row = tuple[str, float, float, float]


def _row(grown: Path, name: str, cost: list[list[float]], rounds: int) -> Row:
    command = [*CITELOG, "investigate", *ASKED[name], "--store", grown]
    seconds = [run(*command).seconds for _ in range(rounds)]
    wall, cpu = (sorted(each)[len(each) // 2] for each in zip(*cost, strict=True))
    return name, wall, cpu, float(middle(seconds))


def _written(row: Row) -> list[str]:
    return [row[0], *map(number, row[1:])]


def _said(what: str, value: float, goal: float, unit: str) -> str:
    return f"\nGoal: {what} under {goal:g} {unit}; the slowest takes {number(value)}: " + verdict(
        value, goal
    )


def grow(small: Path, chunks: int) -> Path:
    """A store with so many chunks in it, or a few more."""
    from analyzer import rollup
    from analyzer.measures import weekly
    from analyzer.store import writer

    path = fresh("stores/grown") / "citations.duckdb"
    with writer(TOP / path) as con:
        con.execute(f"ATTACH '{small}' AS small (READ_ONLY)")
        ((held,),) = con.execute("SELECT count(*) FROM small.chunks").fetchall()
        copies = -(-chunks // held)
        days = con.execute("SELECT DISTINCT day FROM small.requests ORDER BY day").fetchall()
        for (day,) in days:
            for insert in _FACTS.values():
                con.execute(insert, {"copies": copies, "day": day})
        for table in ("batches", "dimensions"):
            con.execute(f"INSERT INTO {table} SELECT * FROM small.{table}")
        con.execute(
            "CREATE OR REPLACE TEMP TABLE touched_days AS SELECT DISTINCT day FROM requests"
        )
        rollup.rebuild(con)
        weekly.update(con)
        con.execute("DETACH small")
    return path


class Watched:
    """A connection that counts what its queries take: milliseconds on the clock and of CPU."""

    def __init__(self, con: Connection) -> None:
        self._con = con
        self.wall = self.cpu = 0.0

    @contextmanager
    def _counted(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall += 1000 * (time.perf_counter() - wall)
        self.cpu += 1000 * (time.process_time() - cpu)

    def _through(self, name: str) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            with self._counted():
                found = getattr(self._con, name)(*arguments, **named)
                if name == "sql" and found is not None:
                    found = found.to_arrow_table()
            if name == "sql":
                return _Asked(found)
            return self if name == "execute" else found

        return called

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._con, name)
        return self._through(name) if callable(found) else found


class _Asked:
    """A relation that was run already."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def to_arrow_table(self) -> Any:
        return self._table


def spent(path: Path, rounds: int) -> dict[str, list[list[float]]]:
    """Milliseconds of the queries of each investigation, in each round a new connection."""
    from analyzer.cli import investigating
    from analyzer.store import reader

    found: dict[str, list[list[float]]] = {name: [] for name in ASKED}
    for _ in range(rounds):
        for name, arguments in ASKED.items():
            with reader(path) as con:
                watched: Any = Watched(con)
                _ask(investigating, watched, path, arguments)
                found[name].append([watched.wall, watched.cpu])
    return found


def _ask(commands: Any, con: Any, path: Path, arguments: tuple[str, ...]) -> None:
    if len(arguments) == 1:
        commands._of_alarm(con, path, arguments[0])
    else:
        named = dict(zip(arguments[::2], arguments[1::2], strict=True))
        commands._since(con, named["--since"], None, named["--route"], named["--metric"], None)


if __name__ == "__main__":
    if sys.argv[2].startswith("x"):
        print(json.dumps(spent(Path(sys.argv[1]), int(sys.argv[2][1:]))))
    else:
        print(grow(Path(sys.argv[1]), int(sys.argv[2])))
