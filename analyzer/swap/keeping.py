"""Evaluations in the store: kept whole, without any text, and read back as they were."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pyarrow as pa

from analyzer.errors import UsageError
from analyzer.store import settings, statement, transaction
from analyzer.swap.outcomes import Outcome, Range, Run

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

SINCE_VERSION = 2  # of the schema; older stores have no such tables before a writer opens them

_RESULTS = pa.schema(
    [
        ("run", pa.string()),
        ("question_id", pa.string()),
        ("draw", pa.int32()),
        ("position", pa.int32()),
        ("k", pa.int32()),
        ("tokens", pa.int64()),
        ("correct", pa.bool_()),
    ]
)


def keep(con: Connection, run: Run, now: datetime) -> str:
    """Keep a run and give its name; kept twice it is kept once.

    A run that goes on from one that was kept, of the same set and with the same outcomes so far,
    takes its place. Raises `UsageError` for one of which nothing is judged.
    """
    if all(each.correct is None for each in run.outcomes):
        raise UsageError(f"{run.source}: no answer in it is judged, so there is nothing to keep")
    name = name_of(run)
    with transaction(con):
        if name not in kept(con):
            _insert(con, name, run, now)
    return name


def kept(con: Connection, before: date | None = None) -> dict[str, Run]:
    """Every run by its name, the latest first, without its outcomes.

    `before`: only those asked before that day.
    """
    if int(str(settings(con)["schema_version"])) < SINCE_VERSION:
        return {}
    rows = con.execute(statement("swap/runs"), {"before": before}).fetchall()
    return {name: _run(*row) for name, *row in rows}


def whole(con: Connection, name: str, run: Run) -> Run:
    """The same with its outcomes."""
    rows = con.execute(statement("swap/results"), {"run": name}).fetchall()
    return replace(run, outcomes=[Outcome(*row) for row in rows])


def token_ranges(con: Connection) -> dict[str, Range]:
    """What `tokens_range` says of each run that knows tokens, without reading what came out."""
    rows = con.execute(statement("swap/token_ranges")).fetchall()
    return {name: (low, middle, high) for name, low, middle, high in rows}


def forget(con: Connection, name: str) -> None:
    """Take a run out again; raises `UsageError` where there is none of that name."""
    held = kept(con)
    if name not in held:
        raise UsageError(f"there is no run {name!r}; citelog swap runs lists those that are kept")
    with transaction(con):
        _forget(con, name)


def name_of(run: Run) -> str:
    """16 hex digits over what a run is and what came out, in any order."""
    what = (run.model, run.prompt_version, run.route, run.question_set, run.judge)
    digest = hashlib.sha256(repr(what).encode())
    for outcome in sorted(run.outcomes, key=lambda each: each[:4]):
        digest.update(repr(tuple(outcome)).encode())
    return digest.hexdigest()[:16]


def _insert(con: Connection, name: str, run: Run, now: datetime) -> None:
    columns = zip(*((name, *_row(outcome)) for outcome in run.outcomes), strict=True)
    table = pa.table([list(column) for column in columns] or [[]] * len(_RESULTS), schema=_RESULTS)
    what = {
        "run": name,
        "model": run.model,
        "prompt_version": run.prompt_version,
        "route": run.route,
        "question_set": run.question_set,
        "judge": run.judge,
    }
    kept_at = now.astimezone(UTC).replace(tzinfo=None)
    rest = {"source": run.source, "asked_on": run.asked_on or kept_at.date(), "kept_at": kept_at}
    con.register("swapped", table)
    try:
        con.execute(statement("swap/arriving"))
        for (earlier,) in con.execute(statement("swap/continued"), what).fetchall():
            _forget(con, earlier)
        con.execute(statement("swap/keep_run"), what | rest)
        con.execute(statement("swap/keep_results"))
    finally:
        con.unregister("swapped")


def _row(each: Outcome) -> tuple[object, ...]:
    return each.question_id, each.draw, each.position, each.k, each.tokens, each.correct


def _forget(con: Connection, name: str) -> None:
    for part in ("swap/forget_results", "swap/forget_run"):
        con.execute(statement(part), {"run": name})


def _run(
    model: str,
    prompt_version: str,
    route: str | None,
    question_set: str | None,
    judge: str,
    source: str,
    asked_on: date,
) -> Run:
    return Run(model, [], prompt_version, route, question_set, judge, source, asked_on)
