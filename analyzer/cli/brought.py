"""What is said of each file after a load: its counts, and what somebody must do about it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer import names, numbers
from analyzer.cli import alarms, say

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.ingest import Batch

LEFT_OUT = ("set_aside", "unreadable")
MANY = 0.05  # of a file's requests: so many without a time are told of
AHEAD = timedelta(days=1)  # of now: what is later than that is no matter of time zones
NAMED = 3  # fields that no record has, of a file
_WORDS = ("loaded", "duplicate", "superseded", "rejected")


@dataclass(frozen=True)
class Asked:
    """What the load was asked: where to, and what decides about its files.

    `passing`: the store goes with the command, so no other command can look into it. `options`: the
    others that were given, as they are typed.
    """

    store: Path
    max_rejected: float
    time_named: bool = False
    passing: bool = False
    options: tuple[str, ...] = ()


def sum_up(brought: Sequence[Batch], asked: Asked, tell: Callable[[str], None]) -> None:
    """`tell` the counts of every file, and their sum; say on stderr what is amiss."""
    from analyzer.store import reader

    alarms.say_amiss(asked.store)
    with reader(asked.store) as con:
        for batch in brought:
            _say_what_came(con, batch, asked, tell)
    if len(brought) > 1:
        known = sum(batch.state == "known" for batch in brought)
        before = f" ({known:,} loaded before)" if known else ""
        tell(f"{len(brought):,} files{before}: {_counts(brought)}")
    if not asked.passing:
        say_what_waits(asked.store)


def say_what_waits(store: Path) -> None:
    """Say how many traces are incomplete, where some are."""
    from analyzer.sources.waiting import waiting

    if told := waiting(store).told():
        say.talk(f"{say.plain(str(store))}: {told}")


def _say_what_came(
    con: Connection, batch: Batch, asked: Asked, tell: Callable[[str], None]
) -> None:
    file = say.plain(batch.file)
    match batch.state:
        case "unreadable":
            say.talk(say.plain(batch.note or f"{batch.file}: nothing of it could be read"))
        case "known":
            tell(f"{file}: {say.plain(batch.note or 'this content was loaded before')}")
        case "set_aside":
            tell(f"{file}: {_counts([batch])}; set aside, nothing of it is loaded")
            say.talk(say.plain(_why_set_aside(con, batch, asked)))
        case _:
            tell(f"{file}: {_counts([batch])}")
            if batch.note:
                say.talk(say.plain(batch.note))
            _say_what_is_unknown(batch)
            _say_what_has_no_time(con, batch, asked)
            _say_what_is_to_come(con, batch, asked)
            _say_what_differs(con, batch)


def _why_set_aside(con: Connection, batch: Batch, asked: Asked) -> str:
    """How many lines are faulty, and the two commands that lead on."""
    from analyzer.ingest.loading import rejected_lines

    faults = rejected_lines(con, batch.batch)
    many = (
        f"{batch.file}: {faults:,} of its {batch.read:,} lines {_are(faults)} faulty, "
        f"more than --max-rejected {asked.max_rejected:g} allows"
    )
    larger = ["--max-rejected", f"{numbers.rounded_up(faults, batch.read):g}"]
    if asked.passing and faults == batch.read:
        return f"{many}; mend the file"
    if asked.passing:
        return f"{many}; mend the file, or let the other lines in with {shlex.join(larger)}"
    store = ["--store", str(asked.store)]
    file = "-" if batch.file == "stdin" else batch.file
    why = shlex.join(["citelog", "rejected", "--batch", batch.batch[:12], *store])
    if faults == batch.read:
        return f"{many}; {why} says why"
    again = shlex.join(["citelog", "ingest", file, *larger, *store, *asked.options])
    return f"{many}; {why} says why, and {again} loads the others"


def _say_what_is_unknown(batch: Batch) -> None:
    """A field whose name is misspelt is missing, and nothing else would tell."""
    unknown = sorted(batch.unknown_fields, key=lambda name: (-batch.unknown_fields[name], name))
    if not unknown:
        return
    fields = numbers.counted(len(unknown), "field")
    shown = ", ".join(names.shown(name) for name in unknown[:NAMED])
    more = ", ..." if len(unknown) > NAMED else ""
    file = [] if batch.file == "stdin" else [batch.file]
    look = shlex.join(["citelog", "check", *file])
    say.talk(
        say.plain(
            f"{batch.file}: {fields} that a record does not have ({shown}{more}); {look} says more"
        )
    )


def _say_what_has_no_time(con: Connection, batch: Batch, asked: Asked) -> None:
    if asked.time_named:
        return
    requests, assumed = _numbers(con, "store/assumed_times", batch)
    its_own = "the time of this load" if batch.file == "stdin" else "the file's own"
    if assumed and assumed >= MANY * requests:
        say.talk(
            f"{say.plain(batch.file)}: {assumed:,} of its {requests:,} requests "
            f"({assumed / requests:.0%}) carry no time, so they stand at {its_own}; "
            "log requested_at, or name their time with --requested-at"
        )


def _say_what_is_to_come(con: Connection, batch: Batch, asked: Asked) -> None:
    """A clock that is ahead opens a week that no alarm, and no default, will look at."""
    from analyzer.store import statement

    latest = (datetime.now(UTC) + AHEAD).replace(tzinfo=None)
    given = {"batch": batch.batch, "latest": latest}
    [(requests, first, at)] = con.execute(statement("store/future_times"), given).fetchall()
    if not requests:
        return
    lie, the = ("lies", "") if requests == 1 else ("lie", "the first is ")
    erase = shlex.join(["citelog", "erase", "--request", first, "--store", str(asked.store)])
    it = "it" if requests == 1 else "this one"
    out = "" if asked.passing else f", or take {it} out with {erase}"
    told = (
        f"{batch.file}: {numbers.counted(requests, 'request')} {lie} in the future, "
        f"{the}{names.shown(first)} at {at:%Y-%m-%d %H:%M} UTC; a clock is wrong: set it and log "
        f"the right time under a higher `revision`{out}"
    )
    say.talk(say.plain(told))


def _say_what_differs(con: Connection, batch: Batch) -> None:
    """A log that was corrected and sent again without a new revision is a draw of the lot."""
    if not batch.superseded:
        return
    requests, others = _numbers(con, "store/same_revision", batch)
    if not requests:
        return
    differ, whose = "differ", f"for {others:,} of them the other"
    if requests == 1:
        differ, whose = "differs", "the other" if others else "this"
    say.talk(
        f"{say.plain(batch.file)}: {requests:,} of its requests {differ} from another line of "
        f"the same revision, and {whose} line counts; raise `revision` in what is corrected, or "
        "take the older file back first with citelog forget"
    )


def _numbers(con: Connection, name: str, batch: Batch) -> tuple[int, ...]:
    from analyzer.store import statement

    [row] = con.execute(statement(name), {"batch": batch.batch}).fetchall()
    return tuple(map(int, row))


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _counts(brought: Sequence[Batch]) -> str:
    read = sum(batch.read for batch in brought)
    parts = {word: sum(getattr(batch, word) for batch in brought) for word in _WORDS}
    fates = " + ".join(f"{n:,} {word}" for word, n in parts.items())
    return f"{numbers.counted(read, 'line')} = {fates}"
