"""The verdict of the week: judged by the tests where it is over, and said to be open where not.

Names of routes become the labels that the rest of the page uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from analyzer import names, numbers, watch
from analyzer.report.model import Changes
from analyzer.report.parts import Scene
from analyzer.stats.panel import ALL_ROUTES
from analyzer.stats.settings import DriftSettings, EffectSettings
from analyzer.store import statement
from analyzer.telling import muting, standing
from analyzer.telling.findings import Screen, Told, screen
from analyzer.telling.spans import Span, Text, joined
from analyzer.watch.causes import explain
from analyzer.watch.mixing import mix_line
from analyzer.watch.raising import up_to

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.watch import Alarms, Said

Aside = tuple[str, tuple[Text, ...]]  # a label and its sentences
ENOUGH = 4  # routes named one by one; more are counted


@dataclass(frozen=True)
class Judging:
    """What bears on the tests beside the store: what people said, the calendar, the thresholds.

    Without `today` the calendar ends no week; mutes are judged by the clock then.
    """

    said: Sequence[Said] = ()
    today: date | None = None
    settings: DriftSettings | None = None
    effect: EffectSettings | None = None


def alarms_of(con: Connection, week: date, judging: Judging) -> Alarms | None:
    """The alarms as they stand after the week, or after the last one before it that is over."""
    asked = {"today": judging.today}
    ((closed,),) = con.execute(statement("watch/last_closed_week"), asked).fetchall()
    if closed is None:
        return None
    said = up_to(judging.said, week)
    return watch.alarms(con, min(week, closed), said, judging.settings)


def changes(
    con: Connection,
    found: Alarms | None,
    requests: Mapping[str, int],
    scene: Scene,
    judging: Judging,
) -> Changes:
    """The first screen; requests: of each route in the week, as logged."""
    if found is None:
        return Changes(standing.unjudged(scene.week), None, None, None, ())
    today = judging.today or datetime.now(UTC).date()
    told = screen(found, explain(con, found, judging.effect), requests, today, judging.settings)
    told = _labelled(told, scene.labels)
    muted = tuple(_muted(told, today))
    if found.week < scene.week:
        stood = replace(told, new=(), open=tuple(map(_older, (*told.new, *told.open))), ended=())
        return Changes(standing.unjudged(scene.week), None, found.week, stood, muted)
    mixed = mix_line(con, scene.week, judging.settings)
    asides = (*_no_alarm(told), *muted, *_asides(told, scene, mixed.words if mixed else ""))
    return Changes(told.title, scene.week, None, told, asides)


def _asides(told: Screen, scene: Scene, mix: str) -> list[Aside]:
    """What stands beside the findings, each with its label; those without a sentence left out."""
    asides = [
        ("Not checked", tuple(_not_checked(told, scene))),
        ("Could have seen", told.seen),
        ("Mix", ((Span(f"No alarm: {mix}."),),) if mix else ()),
    ]
    return [(label, texts) for label, texts in asides if texts]


def _muted(told: Screen, today: date) -> Iterator[Aside]:
    """Which alarms are not told, as of the day on which this is made."""
    if not told.muted:
        return
    again = "it" if len(told.muted) == 1 else "them"
    as_of = Span(f" (as of {today}). To show {again} again: ")
    commands = joined([(Span(one.command, "name"),) for one in told.muted])
    yield "Muted", ((*muting.told(told.muted), as_of, *commands),)


def _no_alarm(told: Screen) -> Iterator[Aside]:
    """Of the routes on which no alarm is kept quiet; of a row over all routes that is on none."""
    quiet = [one for one in told.standings if one.tests and not one.muted]
    everywhere = any(one.route == ALL_ROUTES for one in told.muted)
    if told.new or everywhere or not quiet:
        return
    tests = told.tests - sum(one.tests for one in told.standings if one.muted)
    found = "nothing new" if told.open else "nothing"
    words = (
        Span(f"{numbers.counted(tests, 'test')} on "),
        *_named([one.route for one in quiet]),
        Span(f" against the weeks before found {found} large and sure enough to alarm."),
    )
    yield "No alarm", (words,)


def _not_checked(told: Screen, scene: Scene) -> list[Text]:
    """Routes by the reason for which nothing of them was tested."""
    by_reason: dict[str, list[str]] = {}
    for one in told.standings:
        if one.state == "not checked":
            by_reason.setdefault(_reason(one, scene), []).append(one.route)
    return [(*_named(routes), Span(f": {reason}.")) for reason, routes in by_reason.items()]


def _reason(one: standing.Standing, scene: Scene) -> str:
    last = scene.last_seen.get(one.route)
    if last is not None and last < scene.week:
        return f"{one.why}; the last answer was on {numbers.day(last)}"
    return one.why


def _named(routes: Sequence[str]) -> Text:
    more = f"{len(routes) - ENOUGH} more" if len(routes) > ENOUGH else ""
    return joined([(Span(route, "name"),) for route in routes[:ENOUGH]], more)


def _older(one: Told) -> Told:
    return replace(one, label="Still off")


def _labelled(told: Screen, labels: Mapping[str, str]) -> Screen:
    """The same with the labels of routes in place of their names."""

    def text(spans: Text) -> Text:
        return tuple(
            replace(span, text=labels.get(span.text) or names.shown(span.text))
            if span.kind == "name"
            else span
            for span in spans
        )

    def finding(one: Told) -> Told:
        return replace(one, text=text(one.text), also=tuple(map(text, one.also)))

    return replace(
        told,
        title=text(told.title),
        standings=tuple(
            replace(one, route=labels.get(one.route) or names.shown(one.route))
            for one in told.standings
        ),
        new=tuple(map(finding, told.new)),
        open=tuple(map(finding, told.open)),
        ended=tuple(map(finding, told.ended)),
        seen=tuple(map(text, told.seen)),
    )
