"""Weekly reports: of the week that has closed, and again of weeks that a late file touched.

Beside the reports stands what each was made of, as a mark of the week's counts and estimates. A
report is due where the mark of its week is another one. So it does not matter when a file came,
whether a night was missed, or whether one was killed between loading and writing.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer import storage
from analyzer.config import Config
from analyzer.errors import CitelogError
from analyzer.places import Place, is_address, place, within
from analyzer.store import statement

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.report import Judging

MADE = ".made.json"

Marks = dict[date, str]


@dataclass(frozen=True)
class Made:
    """The report of a week: `again` where there was one before."""

    week: date
    again: bool
    files: tuple[Place, ...]


def check(config: Config) -> None:
    """Raises `CitelogError` where a report is wanted that cannot be made or put there."""
    if config.report.folder and is_address(config.report.folder):
        storage.check(config.report.folder)
    if config.report.folder and "pdf" in config.report.forms and find_spec("typst") is None:
        raise CitelogError(
            "report.forms: a PDF needs the typst package, which is not there; pip install "
            'typst brings it, or leave "pdf" out'
        )


def due(con: Connection, folder: Place, newest: date | None) -> dict[date, bool]:
    """Weeks whose report is to be made, and whether it was made before.

    The newest closed week, and from the first week that was ever made on every closed one whose
    mark has changed or that has none.
    """
    if newest is None:
        return {}
    now, before = _marks(con), _made(folder)
    first = min([newest, *before])
    return {
        week: week in before
        for week, mark in sorted(now.items())
        if first <= week <= newest and before.get(week) != mark
    }


def make(
    con: Connection, config: Config, newest: date | None, judging: Judging, version: str
) -> Iterator[Made]:
    """Make what is due, the oldest first; each is noted once all of its files are written."""
    if config.report.folder is None:
        return
    folder = place(config.report.folder)
    if isinstance(folder, Path):
        folder.mkdir(exist_ok=True)
    marks = _marks(con)
    for week, again in due(con, folder, newest).items():
        written = _report(con, config, folder, week, judging, version)
        _note(folder, week, marks[week])
        yield Made(week, again, written)


def _report(
    con: Connection, config: Config, folder: Place, week: date, judging: Judging, version: str
) -> tuple[Place, ...]:
    from analyzer.report import build, forms

    name = f"{week:%G-W%V}"
    command = ["citelog", "report", "--week", name, "--store", str(config.store)]
    made = build(
        con,
        week=week,
        weeks=config.report.weeks,
        command=shlex.join([*command, "-o", f"{name}.html"]),
        version=version,
        judging=judging,
        prices=config.prices,
        tokens_per_second=config.what_if.prefill_tokens_per_second,
    )
    written = [forms.write(made, within(folder, f"{name}.{form}")) for form in config.report.forms]
    return tuple(file for files_of_a_form in written for file in files_of_a_form)


def _marks(con: Connection) -> Marks:
    return dict(con.execute(statement("night/week_marks")).fetchall())


def _made(folder: Place) -> Marks:
    file = within(folder, MADE)
    text = storage.read(file)
    if text is None:
        return {}
    try:
        held: Mapping[str, str] = json.loads(text)
        return {date.fromisoformat(week): mark for week, mark in held.items()}
    except (ValueError, AttributeError):
        raise CitelogError(
            f"{file}: does not read as what citelog wrote; remove it, and the newest report is "
            "made again"
        ) from None


def _note(folder: Place, week: date, mark: str) -> None:
    held = _made(folder) | {week: mark}
    text = json.dumps({each.isoformat(): held[each] for each in sorted(held)}, indent=1)
    storage.write(within(folder, MADE), f"{text}\n".encode())
