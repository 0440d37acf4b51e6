"""When it began: the hour at which the requests stepped to the new level, or why none is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np

from analyzer import numbers
from analyzer.oncall.carried import Labels
from analyzer.oncall.measured import Measured
from analyzer.stats.arrays import Floats
from analyzer.stats.onset import LEAST_SIDE, Step, step

HOUR = timedelta(hours=1)
LABELS = ("index_version", "model", "release", "prompt_version")
METHOD = "Likeliest step in hourly counts{where}, 95% likelihood set and an hour more: {counted}."


@dataclass(frozen=True)
class Onset:
    """Moments in UTC; the change began after `earliest` and before `latest`."""

    moment: datetime
    earliest: datetime
    latest: datetime
    counted: str  # what the step was found in


@dataclass(frozen=True)
class Unknown:
    """Why no hour is told, as a sentence."""

    why: str


@dataclass(frozen=True)
class Switch:
    """A label that took over: when it was first seen, in UTC."""

    kind: str
    label: str
    first_seen: datetime


def switches(
    measured: Measured, known: Mapping[int, Labels], earliest: datetime, latest: datetime
) -> tuple[Switch, ...]:
    """Labels first seen between two moments that carry most of the requests in the window then."""
    seen: dict[tuple[str, str], datetime] = {}
    requests: Counter[tuple[str, str]] = Counter()
    rows = measured.run("carriers")
    for labels, first_seen, n in rows:
        for kind in LABELS:
            key = kind, str(getattr(known[labels], kind))
            seen[key] = min(seen.get(key, first_seen), first_seen)
            requests[key] += n
    new = sorted((at, *key) for key, at in seen.items() if earliest <= at < latest)
    return tuple(
        Switch(kind, label, at)
        for at, kind, label in new
        if 2 * requests[kind, label] >= measured.requests_since(at)
    )


def onset(measured: Measured, first: date, last: date) -> Onset | Unknown:
    """The step among the hours of the days `first` to `last`, both included."""
    window = measured.window
    # Not every zone is whole hours away.
    begin = measured.midnight(window.first_day).replace(minute=0)
    parts, wholes = _hours(measured, begin, measured.midnight(window.next_day))
    if wholes.sum() < 2 * LEAST_SIDE:
        return Unknown(_too_few(measured, wholes))
    ends = map(measured.midnight, (first, last + timedelta(days=1)))
    low, high = (int((end - begin) / HOUR) for end in ends)
    found = step(parts, wholes, window.kind, max(1, low), min(high, len(parts) - 1))
    if found is None:
        return Unknown(
            f"no hour from {numbers.day(first)} to {numbers.day(last)} stands out against the "
            "others; the weeks tell it alone"
        )
    return _told(found, measured, begin, wholes)


def _told(found: Step, measured: Measured, begin: datetime, wholes: Floats) -> Onset:
    noun = measured.window.noun
    return Onset(
        moment=begin + found.hour * HOUR,
        earliest=begin + (found.earliest - 1) * HOUR,
        latest=begin + (found.latest + 1) * HOUR,
        counted=(
            f"{numbers.count(wholes[: found.hour].sum())} {noun} before, "
            f"{numbers.count(wholes[found.hour :].sum())} since"
        ),
    )


def _hours(measured: Measured, begin: datetime, end: datetime) -> tuple[Floats, Floats]:
    """Parts and wholes of every hour, empty ones included."""
    parts, wholes = np.zeros((2, int((end - begin) / HOUR)))
    for hour, part, of, _ in measured.hours:
        index = int((hour - begin) / HOUR)
        parts[index] += part or 0.0
        wholes[index] += of
    return parts, wholes


def _too_few(measured: Measured, wholes: Floats) -> str:
    window = measured.window
    last = window.next_day - timedelta(days=1)
    return (
        f"{numbers.count(wholes.sum())} {window.noun} are held from "
        f"{numbers.day(window.first_day)} to {numbers.day(last)}, too few to tell an hour"
    )
