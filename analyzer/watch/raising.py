"""What the night does with alarms, as events beside those of people: raised, told, over.

An alarm that was raised keeps its id, and one raised at night opens an episode in its week. Told
is what a receiver has taken; what it has not taken is told again. The numbers of an alarm stand in
the event's note, as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Literal

import msgspec

from analyzer.stats.episodes import Change
from analyzer.watch.events import Said

BY_THE_NIGHT = ("raised", "told", "over")
NIGHT = "citelog nightly"


class Raising(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What was raised. Alarms on silence carry their words: no estimate can tell them again."""

    measure: str
    at_night: bool = False
    change: Change | None = None
    sentence: str = ""
    command: str = ""
    usual: float | None = None  # requests, files or a share, as they were before the silence


def raised(said_at: datetime, alarm: str, route: str | None, week: date, what: Raising) -> Said:
    """The event that an alarm was raised in the week of that Monday."""
    note = msgspec.json.encode(what).decode()
    return Said(
        said_at=said_at, kind="raised", alarm=alarm, route=route, week=week, who=NIGHT, note=note
    )


def told(said_at: datetime, alarm: str, of: Literal["raised", "over"]) -> Said:
    """The event that a receiver was told of an alarm, or of its end."""
    return Said(said_at=said_at, kind="told", alarm=alarm, who=NIGHT, note=of)


def over(said_at: datetime, alarm: str) -> Said:
    """The event that a raised alarm no longer stands."""
    return Said(said_at=said_at, kind="over", alarm=alarm, who=NIGHT)


def raising(one: Said) -> Raising:
    """What a `raised` event carries."""
    return msgspec.json.decode(one.note or "", type=Raising)


def standing(said: Iterable[Said]) -> dict[str, Said]:
    """Raised events by alarm, of those that were not said to be over since; `said` in order."""
    found: dict[str, Said] = {}
    for one in said:
        if one.kind == "raised" and one.alarm:
            found.setdefault(one.alarm, one)
        elif one.kind == "over" and one.alarm:
            found.pop(one.alarm, None)
    return found


def up_to(said: Iterable[Said], week: date) -> list[Said]:
    """Without the alarms of weeks after that Monday's, which its report knows nothing of."""
    return [one for one in said if one.kind != "raised" or one.week is None or one.week <= week]


def untold(said: Iterable[Said]) -> tuple[list[Said], list[Said]]:
    """Events `raised` and `over` that no receiver has taken yet; what was never told is not over.

    Each alarm by its last event: one that came and went in between is not told at all.
    """
    last: dict[str, Said] = {}
    known: set[str] = set()  # told that it was raised, and not yet that it is over
    for one in said:
        if one.alarm and one.kind in ("raised", "over"):
            last[one.alarm] = one
        elif one.alarm and one.kind == "told":
            (known.add if one.note == "raised" else known.discard)(one.alarm)
    new = [one for one in last.values() if one.kind == "raised" and one.alarm not in known]
    gone = [one for one in last.values() if one.kind == "over" and one.alarm in known]
    return new, gone
