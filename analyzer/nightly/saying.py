"""From looks to events: alarms that are new are raised, those that no longer stand are over.

Events go into the log beside the store, on the disk before anybody is told. So a night that is
killed anywhere and run again raises what is missing and nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from analyzer.nightly.calendar import Night
from analyzer.nightly.looking import Look
from analyzer.nightly.silence import Judged, Standing
from analyzer.watch import Said
from analyzer.watch.naming import alarm_id, silence_id, week_number
from analyzer.watch.raising import Raising, over, raised, raising, standing


def changes(look: Look, said: Sequence[Said], now: datetime) -> list[Said]:
    """What the look adds about measures: alarms of the full rule and of the night, and ends."""
    held = {name: one for name, one in standing(said).items() if not raising(one).sentence}
    return [*_closed(look, held, now), *at_once(look, now), *_ended(look, held, now)]


def _closed(look: Look, held: dict[str, Said], now: datetime) -> Iterator[Said]:
    if look.alarms is None:
        return
    for one in look.alarms.open:
        if one.id not in held:
            what = Raising(measure=one.measure)
            yield raised(now, one.id, one.route, look.alarms.week, what)


def at_once(look: Look, now: datetime) -> Iterator[Said]:
    """Alarms of the last seven days."""
    monday = look.night.monday
    for one in look.at_once:
        name = alarm_id(week_number(monday), one.route, one.measure)
        what = Raising(measure=one.measure, at_night=True, change=one.change)
        yield raised(now, name, one.route, monday, what)


def _ended(look: Look, held: dict[str, Said], now: datetime) -> Iterator[Said]:
    if look.alarms is None:
        return
    still_open = {one.id for one in look.alarms.open}
    yield from (over(now, name) for name in held if name not in still_open)


def missing(
    judged: Sequence[Judged], look: Look, said: Sequence[Said], now: datetime
) -> list[Said]:
    """What the night adds about silence: raised where it holds, over where it does not."""
    held = {_key(one): one for one in standing(said).values() if raising(one).sentence}
    told_already = {(one.route, one.measure) for one in look.alarms.open} if look.alarms else set()
    found = [
        _raised(one, look.night, now)
        for one in judged
        if one.holds and one.key not in held and (one.route, one.measure) not in told_already
    ]
    watched = {one.key for one in judged if one.holds is not False}
    ends = [over(now, one.alarm) for key, one in held.items() if one.alarm and key not in watched]
    return found + ends


def silent_already(said: Sequence[Said]) -> Standing:
    """What is missing already, by route and what is watched."""
    held = [one for one in standing(said).values() if raising(one).sentence]
    return {_key(one): raising(one) for one in held}


def _raised(one: Judged, night: Night, now: datetime) -> Said:
    name = silence_id(night.today, one.route, one.what)
    return raised(now, name, one.route, night.monday, one.raising)


def _key(one: Said) -> tuple[str | None, str]:
    return one.route, raising(one).measure
