"""From a scenario to a folder of log files with their truth."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from analyzer.simulate import calendar, encode, state
from analyzer.simulate.arrays import Bools, stream
from analyzer.simulate.files import Files, file_name, late_name
from analyzer.simulate.generate import Traffic, World, traffic, world
from analyzer.simulate.loading import check
from analyzer.simulate.logged import as_logged
from analyzer.simulate.scenario import Route, Scenario
from analyzer.simulate.spoil import spoil
from analyzer.simulate.truth import Truth
from analyzer.simulate.words import Prose

_DAY_MS = 86_400_000
_EPOCH = date(1970, 1, 1).toordinal()
_REVISED_AFTER_MS = 5 * 3_600_000


class _Line(NamedTuple):
    """A line with what its file sorts and spoils it by."""

    ms: int  # since 1970
    text: str
    kind: str  # loaded, superseded, rejected or judgement
    sound: bool = False  # may be repeated, or broken in a copy


@dataclass
class _Site:
    """A route with everything that is made once for it."""

    route: Route
    world: World
    encoder: encode.Encoder
    waiting: dict[int, list[_Line]] = field(default_factory=lambda: defaultdict(list))  # by day


def periods(scenario: Scenario) -> Iterator[Traffic]:
    """All traffic as arrays, day by day, routes in their order."""
    sites = [(route, world(scenario, route)) for route in scenario.routes]
    for day in calendar.days(scenario):
        for route, here in sites:
            for stretch in calendar.stretches(day, state.changes(scenario, route)):
                yield traffic(scenario, route, here, stretch)


def simulate(
    scenario: Scenario, folder: Path, progress: Callable[[int, int], None] | None = None
) -> Truth:
    """Write the scenario's logs and `truth.json` into `folder`.

    `progress` is called with days done and days in all. Raises `CitelogError` where the scenario
    makes no sense or the folder cannot be written.
    """
    check(scenario)
    files, truth = Files(folder), Truth(scenario)
    sites = [_site(scenario, route) for route in scenario.routes]
    days = calendar.days(scenario)
    for number, day in enumerate(days, start=1):
        _write_day(scenario, sites, day, files, truth)
        if scenario.layout.per == "day" or day.weekday() == 6:
            files.close()
        if progress:
            progress(number, len(days))
    files.close()
    files.whole("truth.json", truth.as_json())
    return truth


def _site(scenario: Scenario, route: Route) -> _Site:
    here = world(scenario, route)
    prose = Prose(scenario.seed, route.name)
    return _Site(route, here, encode.Encoder(scenario.layout, here.pool, prose))


def _write_day(
    scenario: Scenario, sites: list[_Site], day: datetime, files: Files, truth: Truth
) -> None:
    """Write what arrives on a day: its requests, and labels and revisions of earlier ones."""
    lines: dict[str, list[_Line]] = defaultdict(list)
    for site in sites:
        name = file_name(scenario.layout, day, site.route.name)
        lines[_arriving_in(scenario, site, day)] += _requests(scenario, site, day, truth)
        lines[name] += site.waiting.pop(day.toordinal(), [])
    for name, unsorted in lines.items():
        if unsorted:
            _write(scenario, name, sorted(unsorted, key=lambda line: line.ms), day, files, truth)


def _arriving_in(scenario: Scenario, site: _Site, day: datetime) -> str:
    for late in scenario.layout.late:
        if (late.route, late.day) == (site.route.name, day):
            return late_name(scenario.layout, late)
    return file_name(scenario.layout, day, site.route.name)


def _requests(scenario: Scenario, site: _Site, day: datetime, truth: Truth) -> list[_Line]:
    """The lines of the day's requests; what comes on later days is put into `site.waiting`."""
    lines: list[_Line] = []
    for stretch in calendar.stretches(day, state.changes(scenario, site.route)):
        made = traffic(scenario, site.route, site.world, stretch)
        truth.add(made)
        rng = stream(scenario.seed, "logged", site.route.name, stretch.start.isoformat())
        logged = as_logged(made, rng)
        texts = site.encoder.requests(made, logged)
        revised = _revised(scenario, made, rng)
        for ms, text, fine, again in zip(
            made.requested_ms.tolist(), texts, logged.sound.tolist(), revised.tolist(), strict=True
        ):
            lines += _versions(site, _Line(ms, text, "loaded" if fine else "rejected", fine), again)
        for ms, text in zip(*_later_labels(made), strict=True):
            site.waiting[_ordinal(ms)].append(_Line(ms, text, "judgement"))
    return lines


def _revised(scenario: Scenario, made: Traffic, rng: np.random.Generator) -> Bools:
    """Which requests are logged twice; only those whose second version comes before the end."""
    end = int(scenario.first_day.timestamp() * 1000) + 7 * scenario.weeks * _DAY_MS
    in_time = made.requested_ms + _REVISED_AFTER_MS < end
    return (rng.random(len(made.k)) < scenario.layout.revised) & in_time


def _versions(site: _Site, line: _Line, again: bool) -> list[_Line]:
    """The line itself; or a first version without citations, the whole following hours later."""
    if not again or not line.sound:
        return [line]
    whole = _Line(line.ms + _REVISED_AFTER_MS, encode.revision(line.text, 1), line.kind)
    site.waiting[_ordinal(whole.ms)].append(whole)
    return [_Line(line.ms, encode.before_citing(line.text), "superseded")]


def _later_labels(made: Traffic) -> tuple[list[int], list[str]]:
    ms, texts = encode.judgements(made)
    return ms.tolist(), texts


def _ordinal(ms: int) -> int:
    return ms // _DAY_MS + _EPOCH


def _write(
    scenario: Scenario, name: str, lines: list[_Line], day: datetime, files: Files, truth: Truth
) -> None:
    rng = stream(scenario.seed, "spoil", name.partition(".")[0], day.isoformat())
    spoilt = spoil(
        [line.text for line in lines], [line.sound for line in lines], scenario.layout, rng
    )
    files.append(name, spoilt.lines)
    counts = truth.files[name]
    counts.update(Counter(line.kind for line in lines))
    counts.update(read=len(spoilt.lines), duplicate=spoilt.repeated)
    counts.update(rejected=sum(spoilt.faults.values()))
    counts.update({f"rejected.{fault}": n for fault, n in spoilt.faults.items()})
