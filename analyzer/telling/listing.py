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


def listing(found: Alarms, today: date) -> Iterator[str]:
    """A headline, then each alarm with its id, its sentence, what was said, the next command."""
    muted = {one.alarm for one in found.said if one.until is not None and one.until >= today}
    shown = [one for one in found.open if one.id not in muted]
    yield _headline(found, shown)
    for one in shown:
        yield ""
        yield f"{'new' if one.state == 'raised' else 'still open'}  {one.id}"
        yield f"  {plain(what(one))}"
        yield f"  {plain(since(one))}"
        yield from (f"  {line}" for line in _remarks(one, found.said))
        yield f"  $ {command(one, week_number(found.week))}"
    if len(shown) < len(found.open):
        yield ""
        yield f"{len(found.open) - len(shown)} muted"
    yield from (f"cleared  {one.id}" for one in found.ended)


def _headline(found: Alarms, shown: list[Episode]) -> str:
    week, tests = iso_week(found.week), f"{found.tests:,} tests"
    if not shown:
        return f"{week}: no alarm stands; {tests}"
    new = sum(one.state == "raised" for one in shown)
    alarms = f"{len(shown)} alarm{'' if len(shown) == 1 else 's'}"
    return f"{week}: {alarms}, {new} new; {tests}"


def _remarks(one: Episode, said: tuple[Said, ...]) -> Iterator[str]:
    for event in said:
        if event.alarm == one.id:
            told = f": {event.note}" if event.note else ""
            yield f"{event.kind} by {event.who}, {event.said_at:%Y-%m-%d %H:%M} UTC{told}"
