"""Alarms that somebody muted, in words: which, until when, and how one lets them speak again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from analyzer import numbers
from analyzer.telling.spans import Span, Text
from analyzer.watch.alarms import Alarms


@dataclass(frozen=True)
class Muted:
    """An alarm that stands and is not told; `command` lets it speak again."""

    alarm: str
    route: str | None  # None: silence of every route
    until: date  # last day of silence
    command: str


def mutes(found: Alarms, held: Mapping[str, date]) -> tuple[Muted, ...]:
    """Those that stand among the alarms held mute, in the order of the list."""
    standing = [(one.id, one.route) for one in found.open]
    standing += [(one.alarm or "", one.route or "") for one in found.silences]
    return tuple(
        Muted(alarm, route or None, held[alarm], f"citelog mute {shlex.quote(alarm)} --undo")
        for alarm, route in standing
        if alarm in held
    )


def told(muted: Sequence[Muted]) -> Text:
    """2 alarms muted: `2026-W47-support-near-copies`, until 2026-12-14; `…`, until 2026-12-20."""
    said = [Span(f"{numbers.counted(len(muted), 'alarm')} muted: ")]
    for number, one in enumerate(muted):
        said += [Span("; ")] if number else []
        said += [Span(one.alarm, "name"), Span(f", until {one.until}")]
    return tuple(said)
