"""What puts logs into the store, shows what came of them, and takes them back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer import numbers
from analyzer.cli import asking, configured, formats, options, progress, say
from analyzer.cli.brought import LEFT_OUT, Asked, say_what_waits, sum_up
from analyzer.errors import NothingThere, UsageError
from analyzer.parameters import week_named

if TYPE_CHECKING:
    from analyzer.reading.processes import Readers

SET_ASIDE = 4
MAX_REJECTED = 0.05
ROWS = 100
_DAY = len("2026-11-16")

Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH...", help="Files, folders, globs, also s3://bucket/...; - reads stdin."
    ),
]
MaxRejected = Annotated[
    float,
    typer.Option(
        min=0.0, max=1.0, help="Set a file aside when a larger share of its lines is rejected."
    ),
]
TimeZone = Annotated[
    str | None,
    typer.Option(help="IANA zone that cuts days and weeks; fixed when the store is made."),
]
AssumeTimezone = Annotated[
    str | None,
    typer.Option(metavar="OFFSET", help="Offset of times that carry none, as +02:00."),
]
RequestedAt = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Time of requests that carry none, with an offset."),
]

MarkerBase = Annotated[
    int | None,
    typer.Option(
        min=0, max=1, help="What answers call the first chunk; by default found out file by file."
    ),
]

Processes = Annotated[
    int | None,
    typer.Option(
        min=1, help="How many processes read a long file; by default one for each core, up to four."
    ),
]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    for command in (ingest, batches, rejected, forget, seal):
        app.command()(command)


def ingest(
    paths: Paths,
    store: options.Store = options.DEFAULT_STORE,
    max_rejected: MaxRejected = MAX_REJECTED,
    time_zone: TimeZone = None,
    assume_timezone: AssumeTimezone = None,
    requested_at: RequestedAt = None,
    marker_base: MarkerBase = None,
    format: formats.Format = "auto",
    mapping: formats.Mapping = None,
    tokenizer: formats.Tokenizer = None,
    route_attribute: formats.RouteAttribute = None,
    processes: Processes = None,
    explain: formats.Explain = False,
) -> int:
    """Load citation logs; loading the same again changes nothing."""
    reading = {
        "format": format,
        "mapping": mapping,
        "tokenizer": tokenizer,
        "route_attribute": route_attribute,
    }
    if explain:
        formats.explain(paths, reading)
        return 0
    assumed = None if requested_at is None else _time(requested_at)
    return load(
        paths,
        store,
        say.data,
        max_rejected,
        time_zone,
        assume_timezone,
        assumed,
        marker_base,
        reading=reading,
        processes=processes,
    )


def load(
    paths: list[str],
    store: Path,
    tell: Callable[[str], None],
    max_rejected: float,
    time_zone: str | None,
    assume_timezone: str | None = None,
    requested_at: datetime | None = None,
    marker_base: int | None = None,
    *,
    passing: bool = False,
    reading: dict[str, str | None] | None = None,
    processes: int | None = None,
) -> int:
    """Load `paths`, `tell` what came of each file, and give the exit code.

    `passing`: the store is there for this command only. `reading`: format, mapping and the like.
    """
    with closing(_readers(paths, processes)) as readers, progress.shown() as advanced:
        from analyzer import updating
        from analyzer.sources import Incomplete

        brought = updating.ingest(
            paths,
            store,
            now=datetime.now(UTC),
            max_rejected=max_rejected,
            time_zone=time_zone,
            assume_timezone=assume_timezone,
            requested_at=requested_at,
            marker_base=marker_base,
            **(reading or {}),
            readers=readers,
            incomplete=Incomplete.of(configured.settings().inputs),
            effect=configured.settings().effect_settings,
            progress=advanced,
        )
    named = {
        "assume-timezone": assume_timezone,
        "requested-at": requested_at and requested_at.isoformat(),
        "marker-base": marker_base,
        **(reading or {}),
    }
    asked = Asked(store, max_rejected, requested_at is not None, passing, _as_words(named))
    sum_up(brought, asked, tell)
    return SET_ASIDE if any(batch.state in LEFT_OUT for batch in brought) else 0


def _readers(paths: list[str], processes: int | None) -> Readers:
    """What reads a long file; it starts now, while this process still imports its database."""
    from analyzer.reading.processes import Readers

    readers = Readers(processes)
    files = [file for file in map(Path, paths) if file.is_file()]
    readers.foresee(max((file.stat().st_size for file in files), default=0))
    return readers


def _as_words(named: Mapping[str, object]) -> tuple[str, ...]:
    """Options as they are typed, without those that say what holds anyhow."""
    given = {name: value for name, value in named.items() if value not in (None, "auto")}
    return tuple(word for name, value in given.items() for word in (_option(name), str(value)))


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def batches(
    store: options.Store = options.DEFAULT_STORE,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> None:
    """List what each file brought, newest first."""
    asking.show(asking.answer(store, "batches_loaded", {}), as_format, output)
    say_what_waits(store)


def rejected(
    store: options.Store = options.DEFAULT_STORE,
    batch: Annotated[str | None, typer.Option(help="Only this batch.")] = None,
    rows: Annotated[int, typer.Option(min=1, help="At most so many lines.")] = ROWS,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> None:
    """List the lines that could not become records: where and why."""
    _check_batch(store, batch)
    asked: dict[str, object] = {"batch": batch, "rows": rows}
    result = asking.answer(store, "rejected_lines", asked)
    asking.show(result, as_format, output)
    if result.num_rows == rows:
        say.talk(f"these are the first {rows:,} lines; --rows shows more")
    if not result.num_rows:
        say.talk("no line was rejected")


def forget(
    batch: Annotated[list[str], typer.Argument(help="Batches as `citelog batches` names them.")],
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Take batches back, as if they had never been loaded."""
    from analyzer import updating

    effect = configured.settings().effect_settings
    for forgotten in updating.forget(batch, store, effect):
        say.data(f"forgot {forgotten.batch} ({say.plain(forgotten.file)})")


def seal(
    before: Annotated[str, typer.Option(metavar="MONDAY", help="The first week that stays open.")],
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Drop the facts before a Monday; the counts stand for good."""
    from analyzer import store as stores

    opened = week_named(before)
    requests = stores.seal(store, opened, datetime.now(UTC).date())
    say.data(
        f"{store}: days before {opened} are sealed; the facts of "
        f"{numbers.counted(requests, 'request')} are gone for good, and the counts of these days "
        "and the estimates of their weeks stay"
    )


def _check_batch(store: Path, batch: str | None) -> None:
    if batch is None:
        return
    if not batch.strip():
        raise UsageError("--batch is empty; name a batch, as citelog batches lists them")
    held = asking.answer(store, "batches_loaded", {})["batch"].to_pylist()
    if not any(name.startswith(batch) for name in held):
        raise NothingThere(f"{store}: no batch is named {batch}; citelog batches lists them")


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"--requested-at {text!r} is no time; write it as 2026-11-16T09:30:00+01:00"
        ) from None
    if time.tzinfo is None:
        whole = f"{time:%Y-%m-%dT%H:%M:%S}+00:00"
        lacks = "has no offset" if len(text) > _DAY else "is a day without a time"
        raise UsageError(f"--requested-at {text} {lacks}; write it as {whole}")
    _check_held(time, text)
    return time


def _check_held(time: datetime, text: str) -> None:
    from analyzer.record import EARLIEST, LATEST

    if not EARLIEST <= time < LATEST:  # aware times of any year compare, whatever their offset
        raise UsageError(f"--requested-at {text} is outside the years 1970 to 2199")
