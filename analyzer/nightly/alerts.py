"""The alarms that stand after a night, for programs: the JSON file and what is made of it.

The file is an object: `night`, `made_at`, `week` (the newest closed one), `tests`, `alarms` and
`over`. An alarm has the fields of `citelog alerts --format json` and `new`, `muted` and
`acknowledged_by`; numbers are in the measure's own unit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer import files
from analyzer.nightly.looking import Look
from analyzer.stats.settings import EffectSettings
from analyzer.telling.table import alarm_table, silence_row
from analyzer.watch import Said
from analyzer.watch.causes import explain
from analyzer.watch.events import muted
from analyzer.watch.raising import raising, standing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

Alarm = dict[str, Any]
ENDED = ("cleared", "re-baselined")


@dataclass(frozen=True)
class Alerts:
    """`alarms` stand; `over` are the ids of those that ended this night."""

    night: date
    made_at: datetime
    week: date | None
    tests: int
    alarms: tuple[Alarm, ...]
    over: tuple[str, ...]

    @property
    def loud(self) -> tuple[Alarm, ...]:
        """Those that nobody muted."""
        return tuple(one for one in self.alarms if not one["muted"])

    @property
    def new(self) -> tuple[Alarm, ...]:
        """Of those, the ones that were raised this night, by whichever of its runs."""
        return tuple(one for one in self.loud if one["new"])


def alerts(
    con: Connection, look: Look, said: Sequence[Said], now: datetime, effect: EffectSettings
) -> Alerts:
    """What stands after a look. A night that is run again says the same once more."""
    tonight = [one for one in said if look.night.day_of(one.said_at) == look.night.today]
    names = {one.alarm for one in tonight if one.kind == "raised"}
    mute = muted(said, look.night.today)
    seen = {one.alarm: one.who for one in said if one.kind == "ack"}
    return Alerts(
        night=look.night.today,
        made_at=now,
        week=look.alarms.week if look.alarms else None,
        tests=look.alarms.tests if look.alarms else 0,
        alarms=tuple(
            {
                **row,
                "new": row["alarm"] in names,
                "muted": row["alarm"] in mute,
                "acknowledged_by": seen.get(row["alarm"]),
            }
            for row in _rows(con, look, said, effect)
        ),
        over=tuple(one.alarm for one in tonight if one.kind == "over" and one.alarm),
    )


def _rows(con: Connection, look: Look, said: Sequence[Said], effect: EffectSettings) -> list[Alarm]:
    if look.alarms is None:
        held = standing(said).values()
        return [silence_row(one) for one in held if raising(one).sentence]
    table = alarm_table(look.alarms, explain(con, look.alarms, effect))
    return [row for row in table.to_pylist() if row["state"] not in ENDED]


def write(made: Alerts, file: Path) -> None:
    """The JSON file, whole or not at all."""
    files.write_text(file, json.dumps(as_json(made), indent=2, ensure_ascii=False) + "\n")


def as_json(made: Alerts) -> dict[str, Any]:
    """The same as plain JSON values."""
    return {
        "night": made.night.isoformat(),
        "made_at": made.made_at.isoformat(),
        "week": made.week.isoformat() if made.week else None,
        "tests": made.tests,
        "alarms": [{name: plain(value) for name, value in one.items()} for one in made.alarms],
        "over": list(made.over),
    }


def plain(value: Any) -> Any:
    """A value of a table as JSON has it; what is not finite is null."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value
