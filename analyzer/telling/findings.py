"""A week's alarms as people read them first: the verdict, what changed, what stands, what ended.

Alarms of one cause that began together are one finding. The same spans stand in the terminal, in
the page, in Markdown and in JSON.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from analyzer import names
from analyzer.stats.episodes import Ending, Episode
from analyzer.stats.settings import DriftSettings
from analyzer.telling import standing
from analyzer.telling.muting import Muted, mutes
from analyzer.telling.seen import could_have_seen
from analyzer.telling.sentences import briefly, command, completed, measured, since, what
from analyzer.telling.spans import Span, Text
from analyzer.telling.standing import Standing
from analyzer.watch.alarms import Alarms
from analyzer.watch.causes import Explanation
from analyzer.watch.events import Said, heard
from analyzer.watch.grouping import Finding, grouped
from analyzer.watch.naming import week_number
from analyzer.watch.raising import BY_THE_NIGHT, raising
from analyzer.watch.starts import Begun
from analyzer.watch.weighing import UNKNOWN, Candidate

AT_MOST = 5
REASONS = 3  # told of what speaks for a cause, and against it
_ENDED: dict[Ending, str] = {
    "quiet": "It is quiet again.",
    "faded": "It is quiet again.",
    "new level": "It has lasted so long that the weeks to come are held against this level.",
    "unmonitored": "Too little of it is left to be watched.",
}
_SAID = {
    "ack": "acknowledged",
    "note": "noted",
    "mute": "muted",
    "unmute": "no longer muted",
    "exclude": "left out",
}


Label = Literal["Alarm", "Silence", "Still off", "Cleared", "Re-baselined"]


@dataclass(frozen=True)
class Told:
    """One finding in words."""

    label: Label
    moved: Literal["up", "down", ""]  # of the worst alarm
    text: Text
    also: tuple[Text, ...]  # the other alarms that belong to it
    since: Text
    cause: Text
    known: bool  # whether the table of causes knows one
    speaks_for: tuple[str, ...]
    speaks_against: tuple[str, ...]
    said: tuple[str, ...]  # who acknowledged or noted what
    alarms: tuple[str, ...]  # ids, the worst first
    command: str


@dataclass(frozen=True)
class Screen:
    """All that is said first about a closed week."""

    title: Text
    standings: tuple[Standing, ...]
    silent: tuple[Told, ...]  # what is missing, as the nights raised it
    new: tuple[Told, ...]  # worst first
    open: tuple[Told, ...]  # from earlier weeks
    ended: tuple[Told, ...]
    left_out: int  # new findings beyond the five
    seen: tuple[Text, ...]  # what would have been seen, where all is quiet
    muted: tuple[Muted, ...]  # alarms that stand and are not told
    tests: int

    @property
    def ended_as(self) -> str:
        """What those are called that ended, each kind once."""
        return " and ".join(dict.fromkeys(one.label for one in self.ended)).capitalize()


def screen(
    found: Alarms,
    explanations: Mapping[str, Explanation],
    requests: Mapping[str, int],
    today: date,
    settings: DriftSettings | None = None,
) -> Screen:
    """The week of `found`; requests: of each route in it; mutes as they hold `today`."""
    muted = found.muted(today)
    found = replace(found, said=heard(found.said, today))
    states = standing.standings(found, requests, muted, settings)
    told = [_told(one, found, muted) for one in grouped(found, explanations)]
    shown = [one for one in told if one is not None]
    new = [one for one in shown if one.label == "Alarm"]
    silent = [_silence(one, found.said) for one in found.silences if one.alarm not in muted]
    everywhere = standing.over_all_routes(found, muted)
    return Screen(
        title=standing.title(states, everywhere=everywhere, silent=len(silent)),
        standings=states,
        silent=tuple(silent),
        new=tuple(new[:AT_MOST]),
        open=tuple(one for one in shown if one.label == "Still off"),
        ended=tuple(
            _ended(one, explanations[one.id], found)
            for one in sorted(found.ended, key=lambda one: one.ending == "new level")
        ),
        left_out=max(len(new) - AT_MOST, 0),
        seen=could_have_seen(found, requests, states),
        muted=mutes(found, muted),
        tests=found.tests,
    )


def _told(one: Finding, found: Alarms, muted: Collection[str]) -> Told | None:
    """A finding without its muted alarms; the worst of those that are new leads it."""
    left = [each for each in one.episodes if each.id not in muted]
    if not left:
        return None
    new = [each for each in left if (each.raised or 0) >= week_number(found.week)]  # or at night
    lead = (new or left)[0]
    others = [each for each in left if each is not lead]
    return _of(lead, others, one.cause, one.begun, found, "Alarm" if new else "Still off")


def _ended(one: Episode, known: Explanation, found: Alarms) -> Told:
    label: Label = "Re-baselined" if one.ending == "new level" else "Cleared"
    told = _of(one, [], known.cause, known.begun, found, label)
    return replace(told, text=(*told.text, Span(f" {_ENDED[one.ending or 'quiet']}")))


def _silence(one: Said, said: Sequence[Said]) -> Told:
    missing = raising(one)
    alarm = one.alarm or ""
    text = (Span(names.shown(missing.sentence, 240)), Span("."))
    return Told(
        label="Silence",
        moved="",
        text=text,
        also=(),
        since=(),
        cause=(),
        known=False,
        speaks_for=(),
        speaks_against=(),
        said=remarks([alarm], said),
        alarms=(alarm,),
        command=missing.command,
    )


def _of(
    lead: Episode,
    others: Sequence[Episode],
    cause: Candidate,
    begun: Begun,
    found: Alarms,
    label: Label,
) -> Told:
    week, ids = found.week_of(lead), (lead.id, *(one.id for one in others))
    several = len({lead.route, *(one.route for one in others)}) > 1
    return Told(
        label=label,
        moved=_moved(lead),
        text=what(lead, week),
        also=tuple(briefly(one, with_route=several) for one in others),
        since=since(begun),
        cause=(Span(probably(cause)),),
        known=cause.code != UNKNOWN,
        speaks_for=_reasons(cause.speaks_for),
        speaks_against=_reasons(cause.speaks_against),
        said=remarks(ids, found.said),
        alarms=ids,
        command=next_command(lead, cause, week),
    )


def _moved(one: Episode) -> Literal["up", "down", ""]:
    change = one.at_first
    if change is None:
        return ""
    return "up" if change.delta > 0 else "down"


def probably(cause: Candidate) -> str:
    """The cause, how strong its evidence is, and what to do about it where the table says so."""
    if cause.code == UNKNOWN:
        return "The cause is not known: nothing of the table of causes fits."
    title = cause.title[:1].lower() + cause.title[1:]
    to_do = f" To do: {cause.to_do}." if cause.to_do else ""
    return f"Most probably {title} (strength of the evidence: {cause.points} of 10).{to_do}"


def _reasons(told: Sequence[str]) -> tuple[str, ...]:
    return tuple(names.shown(one, 240) for one in told[:REASONS])


def next_command(lead: Episode, cause: Candidate, week: int) -> str:
    """What to ask next: of the cause where it is known, else of the measure.

    It asks of the newest week up to `week` that has an answer.
    """
    week = measured(lead, week)
    if cause.code == UNKNOWN:
        return command(lead, week)
    return completed(cause.next, lead.route, week)


def remarks(alarms: Sequence[str], said: Sequence[Said]) -> tuple[str, ...]:
    """What people said of these alarms."""
    return tuple(
        _remark(event) for event in said if event.alarm in alarms and event.kind not in BY_THE_NIGHT
    )


def _remark(event: Said) -> str:
    told = f": {names.shown(event.note, 200)}" if event.note else ""
    who = names.shown(event.who or "somebody")
    until = f" until {event.until}" if event.kind == "mute" else ""
    return f"{_SAID[event.kind]}{until} by {who}, {event.said_at:%Y-%m-%d %H:%M} UTC{told}"
