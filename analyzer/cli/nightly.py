"""`citelog init`, `citelog nightly` and `citelog backfill`: the job that nobody watches."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import analyzer
from analyzer import files, storage
from analyzer.cli import alarms, configured, progress, say
from analyzer.errors import UsageError
from analyzer.parameters import day_named
from analyzer.places import is_address

if TYPE_CHECKING:
    from analyzer.config import Config
    from analyzer.nightly import Done

ALARM, SET_ASIDE, EMPTY = 3, 4, 5


class FailOn(StrEnum):
    """What ends with an exit code of its own."""

    alarm = "alarm"
    empty = "empty"


class Log(StrEnum):
    """How the steps are told on stderr."""

    text = "text"
    json = "json"


File = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help="The configuration; by default what CITELOG_CONFIG names, or citelog.toml here.",
    ),
]
Store = Annotated[Path | None, typer.Option(help="The store; wins over the configuration.")]
TimeZone = Annotated[
    str | None, typer.Option(help="IANA zone that cuts days; fixed when the store is made.")
]
Input = Annotated[
    list[str] | None,
    typer.Option(metavar="PATH", help="A file, folder or glob to load, in place of the inputs."),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any setting, as retention.facts_weeks=13."),
]
Fail = Annotated[
    list[FailOn] | None,
    typer.Option(
        help="Exit with 3 where an alarm stands that is not muted, with 5 where no file is new."
    ),
]
DryRun = Annotated[bool, typer.Option(help="Do all of it on a copy, keep nothing, tell nobody.")]
Logs = Annotated[Log, typer.Option(help="How the steps are told on stderr.")]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    for command in (init, nightly, backfill):
        app.command()(command)


def init(
    config: Annotated[Path, typer.Option(help="The file to write.")] = configured.DEFAULT_FILE,
    store: Store = None,
    time_zone: TimeZone = None,
    input: Input = None,
) -> None:
    """Write a commented citelog.toml and make the store, which fixes its time zone."""
    from analyzer.config import template
    from analyzer.store import reader, settings, writer

    if config.exists():
        raise UsageError(f"{config}: is there already; remove it, or name another with --config")
    paths = [_beside(config, path) for path in input or []]
    made = store or Path("citations.duckdb")
    with writer(made, time_zone=time_zone):
        pass
    with reader(made) as con:
        zone = str(settings(con)["time_zone"])
    named = os.path.relpath(made.absolute(), config.parent.absolute())
    files.write_text(config, template(store=named, time_zone=zone, inputs_paths=paths or ["logs/"]))
    say.data(f"{config}: written; {made} cuts its days in {zone}")


def _beside(config: Path, path: str) -> str:
    """A path as it is written into the file; an address that could not be read is refused."""
    if is_address(path):
        storage.check(path)
        return path
    return os.path.relpath(Path(path).absolute(), config.parent.absolute())


def nightly(
    config: File = None,
    dry_run: DryRun = False,
    fail_on: Fail = None,
    store: Store = None,
    input: Input = None,
    time_zone: TimeZone = None,
    missed: Annotated[
        list[str] | None,
        typer.Option("--backfill", metavar="DATE", help="A night that was missed; repeat."),
    ] = None,
    re_estimate: Annotated[
        bool, typer.Option(help="Make every week's estimates again, after a change of [effect].")
    ] = False,
    log: Logs = Log.text,
    set: Set = None,
) -> int:
    """Load what is new, look for alarms, tell, report, and keep house."""
    made = _config(config, set or [], store, input, time_zone)
    done = _run(made, _days(missed or []), _tell_of(log), dry_run=dry_run, again=re_estimate)
    return _ended(done, fail_on or [])


def backfill(
    date: Annotated[list[str], typer.Argument(metavar="DATE...", help="Nights, as 2026-11-17.")],
    config: File = None,
    dry_run: DryRun = False,
    fail_on: Fail = None,
    store: Store = None,
    log: Logs = Log.text,
    set: Set = None,
) -> int:
    """Make up for nights that were missed, each named by the date on which it should have run."""
    made = _config(config, set or [], store, None, None)
    done = _run(made, _days(date), _tell_of(log), dry_run=dry_run, again=False)
    return _ended(done, fail_on or [])


def _config(
    file: Path | None,
    pairs: Sequence[str],
    store: Path | None,
    input: Sequence[str] | None,
    time_zone: str | None,
) -> Config:
    from analyzer import config

    for sentence in config.strangers(os.environ):
        say.talk(sentence)
    options: dict[tuple[str, str], Any] = {
        ("", "store"): str(store) if store else None,
        ("", "time_zone"): time_zone,
        ("inputs", "paths"): input or None,
    }
    given = {name: value for name, value in options.items() if value is not None}
    pairs = [*configured.pairs(), *pairs]
    read = file or configured.file_in_force()
    made = config.load(read, os.environ, pairs, given)
    if not made.inputs.paths and not made.inputs.rollups:
        raise UsageError(_no_inputs(read))
    return made


def _no_inputs(read: Path | None) -> str:
    """A job that starts in another folder than was meant finds no configuration there."""
    if read is not None:
        return f"{read}: no inputs are named; set inputs.paths in it, or give --input"
    return (
        f"no inputs are named, and no {configured.DEFAULT_FILE} lies in {Path.cwd()}, where this "
        "job started; start it in the folder that has one, name the file with --config, let "
        "citelog init write one, or give --input"
    )


def _run(
    config: Config,
    missed: Sequence[date],
    tell: Callable[[str, dict[str, object]], None],
    *,
    dry_run: bool,
    again: bool,
) -> Done:
    from analyzer.nightly import Plan, rehearse, reports, run

    if config.inputs.paths and config.inputs.rollups:
        raise UsageError(
            "inputs.paths and inputs.rollups are both set; a store holds logs or rollups, not both"
        )
    reports.check(config)
    with progress.shown() as advanced:
        plan = Plan(
            config=config,
            now=datetime.now(UTC),
            version=analyzer.__version__,
            tell=tell,
            missed=missed,
            estimate_again=again,
            progress=advanced,
        )
        return rehearse(plan) if dry_run else run(plan)


def _ended(done: Done, fail_on: Sequence[FailOn]) -> int:
    """Say the summary; of several exit codes the first of 3, 4, 5 that applies."""
    for line in done.summary():
        say.data(say.plain(line))
    alarms.say_amiss(Path(done.store))
    if FailOn.alarm in fail_on and done.alerts.loud:
        return ALARM
    if done.left_out:
        return SET_ASIDE
    return EMPTY if FailOn.empty in fail_on and not done.files["new"] else 0


def _days(texts: Sequence[str]) -> list[date]:
    return [_day(text) for text in texts]


def _day(text: str) -> date:
    day = day_named("night", text)
    if day > datetime.now(UTC).date():
        raise UsageError(f"{day} is not over yet; only nights that were missed are made up for")
    return day


def _tell_of(log: Log) -> Callable[[str, dict[str, object]], None]:
    return _as_json if log is Log.json else _as_text


def _as_json(step: str, said: dict[str, object]) -> None:
    line = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "step": step, **said}
    say.talk(say.in_json(json.dumps(line, ensure_ascii=False, default=str)))


def _as_text(step: str, said: dict[str, object]) -> None:
    """What somebody must look at; all the rest stands in the summary."""
    match step:
        case "unreadable" | "unmatched":
            say.talk(say.plain(f"{said['why']}"))
        case "file" if said["state"] == "set_aside":
            batch = str(said["batch"])[:12]
            file = f"{said['file']}: set aside, too much of it is rejected"
            why = f"citelog rejected --batch {batch} says why"
            rest = "a larger inputs.max_rejected loads its other lines"
            say.talk(say.plain(f"{file}; {why}, and {rest}"))
        case "file" if said["note"] and said["state"] != "known":
            say.talk(say.plain(str(said["note"])))
        case "webhook" if not said["taken"]:
            say.talk(say.plain(f"webhook: {said['why']}; it is told again the next night"))
