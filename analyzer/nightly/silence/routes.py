"""Routes that fell silent, or nearly so.

A weekday is held against the same weekday of the weeks before, because a quiet Sunday is no
incident; the lowest of them counts, so that one holiday among them makes the rule milder only.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from analyzer.config import Volume
from analyzer.nightly.calendar import WEEK, Night, words
from analyzer.nightly.silence.judged import Judged, Standing
from analyzer.watch.raising import Raising

SILENCE = "silence"


def silent_routes(
    rows: Sequence[Mapping[str, Any]], night: Night, standing: Standing, volume: Volume
) -> list[Judged]:
    """Each route's last day; one alarm in place of many where nothing at all was logged."""
    counts: dict[str, dict[date, int]] = {}
    for row in rows:
        counts.setdefault(row["route"], {})[row["day"]] = row["requests"]
    judged = [
        _route(route, by_day, night, standing.get((route, SILENCE)), volume)
        for route, by_day in counts.items()
    ]
    silent = [one for one in judged if one.holds]
    logged = any(by_day.get(night.last_day) for by_day in counts.values())
    if logged or len(silent) < 2:
        return [*judged, Judged(None, "silent", False if logged else None, _NOTHING)]
    everything = sum(int(one.raising.usual or 0) for one in silent)
    told = _told(None, 0, everything, night, volume.weeks)
    return [*(unraised(one) for one in judged), Judged(None, "silent", True, told)]


def unraised(one: Judged) -> Judged:
    """The same, but not to be raised: another alarm says it better."""
    return replace(one, holds=None) if one.holds else one


_NOTHING = Raising(measure=SILENCE)


def _route(
    route: str, by_day: Mapping[date, int], night: Night, raised: Raising | None, volume: Volume
) -> Judged:
    last = by_day.get(night.last_day, 0)
    usual = _usual(by_day, night.last_day, volume.weeks)
    told = _told(route, last, usual or 0, night, volume.weeks)
    return Judged(route, "silent", _is_silent(last, usual, raised, volume), told)


def _usual(by_day: Mapping[date, int], day: date, weeks: int) -> int | None:
    """The lowest of the same weekdays before, from the first day seen on; None below two."""
    first = min(by_day)
    before = [day - n * WEEK for n in range(1, weeks + 1)]
    counts = [by_day.get(each, 0) for each in before if each >= first]
    return min(counts) if len(counts) >= min(2, weeks) else None


def _is_silent(last: int, usual: int | None, raised: Raising | None, volume: Volume) -> bool | None:
    """A route that is silent already is so until it has more than a tenth of what it had."""
    if raised is not None:
        return None if last <= volume.remaining * (raised.usual or 0) else False
    if usual is None or usual < volume.least_requests:
        return None
    return last <= volume.remaining * usual


def _told(route: str | None, last: int, usual: int, night: Night, weeks: int) -> Raising:
    had = f"{route} had {last or 'no'} request{'' if last == 1 else 's'}"
    what = "No route had a request" if route is None else had
    of = "" if route is None else f" --param route={shlex.quote(route)}"
    return Raising(
        measure=SILENCE,
        sentence=f"{what} on {words(night.last_day)}; on the same weekday of the weeks before "
        f"there were {usual:,} or more",
        command=f"citelog query requests_per_day "
        f"--param first_day={night.last_day - weeks * WEEK} --param days={7 * weeks + 1}{of}",
        usual=usual,
    )
