"""The alarms that stand, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from analyzer.stats.episodes import Episode
from analyzer.telling.sentences import command, since, what
from analyzer.telling.spans import plain
from analyzer.watch.alarms import Alarms
from analyzer.watch.events import Said
from analyzer.watch.naming import iso_week, week_number
from analyzer.watch.raising import BY_THE_NIGHT, raising


def listing(found: Alarms, today: date) -> Iterator[str]:
    """A headline, then each alarm with its id, its sentence, what was said, the next command."""
    muted = found.muted(today)
    shown = [one for one in found.open if one.id not in muted]
    silent = [missing for missing in found.silences if missing.alarm not in muted]
    yield _headline(found, shown, silent)
    for missing in silent:
        yield from _silence(missing, found.said)
    for one in shown:
        yield ""
        yield f"{'new' if one.state == 'raised' else 'still open'}  {one.id}"
        yield f"  {plain(what(one))}"
        yield f"  {plain(since(one))}"
        yield from (f"  {line}" for line in _remarks(one.id, found.said))
        yield f"  $ {command(one, week_number(found.week))}"
    left_out = len(found.open) + len(found.silences) - len(shown) - len(silent)
    if left_out:
        yield ""
        yield f"{left_out} muted"
    yield from (f"cleared  {one.id}" for one in found.ended)


def _headline(found: Alarms, shown: list[Episode], silent: list[Said]) -> str:
    week, tests = iso_week(found.week), f"{found.tests:,} tests"
    number = len(shown) + len(silent)
    if not number:
        return f"{week}: no alarm stands; {tests}"
    new = sum(one.state == "raised" for one in shown)
    missing = f", {len(silent)} of silence" if silent else ""
    return f"{week}: {number} alarm{'' if number == 1 else 's'}, {new} new{missing}; {tests}"


def _silence(one: Said, said: tuple[Said, ...]) -> Iterator[str]:
    what_is_missing = raising(one)
    yield ""
    yield f"silence  {one.alarm}"
    yield f"  {what_is_missing.sentence}"
    yield from (f"  {line}" for line in _remarks(one.alarm, said))
    yield f"  $ {what_is_missing.command}"


def _remarks(alarm: str | None, said: tuple[Said, ...]) -> Iterator[str]:
    """What people said of an alarm."""
    for event in said:
        if event.alarm == alarm and event.kind not in BY_THE_NIGHT:
            told = f": {event.note}" if event.note else ""
            yield f"{event.kind} by {event.who}, {event.said_at:%Y-%m-%d %H:%M} UTC{told}"
