"""Which labels carry a change: the same requests, by every dimension they are labelled in.

The parts of each dimension add up to the change. Routes are held against each other over all
routes and whole days; everything else is told of the requests of the one route.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from analyzer.oncall.measured import Measured
from analyzer.stats import jackknife
from analyzer.stats.arrays import Floats
from analyzer.stats.contributions import Contribution, contributions
from analyzer.stats.jackknife import Estimate
from analyzer.stats.onset import Kind
from analyzer.stats.settings import LEAST_OF_A_RATE, EffectSettings

DIMENSIONS = ("index_version", "model", "release", "prompt_version", "ordering")
DOCUMENTS = 2  # told by name
LEADS = 0.5  # of the change, that a label must carry to lead
TELLS = 0.15  # by so much its part of the change must exceed its part of the requests


@dataclass(frozen=True)
class Labels:
    """What a request is labelled with, the ordering as it was recognised over the window."""

    index_version: str
    model: str
    release: str
    prompt_version: str
    ordering: str


@dataclass(frozen=True)
class Dimension:
    """The labels of one dimension, the largest part first; they add up to `change`."""

    name: str
    change: float
    labels: tuple[Contribution, ...]

    @property
    def mix(self) -> float:
        """What follows from the labels' shares of traffic, those that came or went included."""
        return sum(each.mix for each in self.labels)

    @property
    def behaviour(self) -> float:
        """What changed inside labels."""
        return sum(each.behaviour for each in self.labels)

    def part(self, one: Contribution) -> float:
        """A label's part of the change, 1 = all of it."""
        return one.total / self.change if self.change else 0.0


@dataclass(frozen=True)
class Leading:
    """The label that says most: it carries the change, and by more than its share of traffic."""

    dimension: str
    label: str
    part: float
    new: bool


@dataclass(frozen=True)
class Carried:
    """A change between two sides, whole / part of each, and its parts by dimension."""

    requests: tuple[int, int]
    wholes: tuple[float, float]
    levels: tuple[float, float]
    change: Estimate
    dimensions: tuple[Dimension, ...]
    documents: Dimension | None

    @property
    def too_few(self) -> bool:
        """Whether a side holds too few requests for a rate of it to be told."""
        return min(self.requests) < LEAST_OF_A_RATE

    @property
    def leading(self) -> Leading | None:
        """None where no label carries it more than the others of its dimension."""
        if self.too_few:
            return None
        found = [
            Leading(each.name, one.label, each.part(one), one.presence == "new")
            for each in self.dimensions
            if each.name != "route"  # the requests are those of one
            for one in each.labels
            if _leads(each, one)
        ]
        return min(found, key=lambda one: (not one.new, -round(one.part, 1)), default=None)


def _leads(of: Dimension, one: Contribution) -> bool:
    if one.presence == "gone" or of.part(one) < LEADS:
        return False
    share = (one.share_before + one.share_since) / 2
    return of.part(one) - share >= TELLS and len(of.labels) > 1


def labels_of(measured: Measured) -> dict[int, Labels]:
    """Every combination of labels in the window, by the hash that stands for it."""
    return {
        key: Labels(index, model, release, prompt, measured.orderings.get(seen, seen))
        for key, model, release, prompt, index, seen in measured.run("labels")
    }


def carried(measured: Measured, known: Mapping[int, Labels], moment: datetime) -> Carried | None:
    """The parts of the change at a moment (UTC); None where one side holds nothing.

    known: what `labels_of` gives. Of two releases the moment says nothing.
    """
    found = [_Slice(*row) for row in measured.run("slices", moment=moment)]
    if {each.since for each in found} != {False, True}:
        return None
    dimensions = [_dimension(name, _labelled(found, name, known)) for name in DIMENSIONS]
    parts, wholes = _groups(found)
    levels = parts.sum(axis=1) / wholes.sum(axis=1)
    return Carried(
        requests=(_requests(found, since=False), _requests(found, since=True)),
        wholes=(float(wholes[0].sum()), float(wholes[1].sum())),
        levels=(float(levels[0]), float(levels[1])),
        change=_change(parts, wholes, measured.window.kind),
        dimensions=(*_of_days(measured, "route", moment), *dimensions),
        documents=next(_of_days(measured, "document", moment), None),
    )


@dataclass(frozen=True)
class _Slice:
    """A row of `slices`."""

    since: bool
    labels: int
    unit_group: int
    requests: float
    part: float
    whole: float


# Since, label, part, whole, and how many requests that rests on where it is known.
Labelled = Iterable[tuple[bool, str, float, float, float | None]]


def _labelled(
    found: Sequence[_Slice], dimension: str, known: Mapping[int, Labels]
) -> Iterator[tuple[bool, str, float, float, float | None]]:
    for each in found:
        label = str(getattr(known[each.labels], dimension))
        yield each.since, label, each.part, each.whole, each.requests


def _dimension(name: str, labelled: Labelled) -> Dimension:
    """Sums by label and side, and each label's part of the change."""
    sums: dict[str, Floats] = defaultdict(lambda: np.zeros((3, 2)))
    for since, label, part, whole, requests in labelled:
        sums[label][:, int(since)] += part, whole, np.nan if requests is None else requests
    labels = sorted(sums)
    parts, wholes, counted = np.array([sums[label] for label in labels]).transpose(1, 2, 0)
    change = parts[1].sum() / wholes[1].sum() - parts[0].sum() / wholes[0].sum()
    known = np.isfinite(counted).all()
    told = contributions(labels, parts, wholes, counted if known else None)
    up = 1 if change >= 0 else -1
    return Dimension(
        name, float(change), tuple(sorted(told, key=lambda one: (-up * one.total, one.label)))
    )


def _requests(found: Sequence[_Slice], *, since: bool) -> int:
    return int(sum(each.requests for each in found if each.since is since))


def _groups(found: Sequence[_Slice]) -> tuple[Floats, Floats]:
    """Parts and wholes, [side, unit group] each."""
    parts, wholes = np.zeros((2, 2, EffectSettings().groups))
    for each in found:
        parts[int(each.since), each.unit_group] += each.part
        wholes[int(each.since), each.unit_group] += each.whole
    return parts, wholes


def _change(parts: Floats, wholes: Floats, kind: Kind) -> Estimate:
    ways = {"share": jackknife.rate, "mean": jackknife.mean, "ratio": jackknife.ratio}
    estimate = ways[kind]
    before, since = (estimate(parts[side], wholes[side]) for side in (0, 1))
    if kind != "share":
        return jackknife.difference(since, before)
    n_before, n_since = wholes.sum(axis=1)
    return jackknife.difference_of_shares(since, before, (n_since, n_before))


def _of_days(measured: Measured, name: str, moment: datetime) -> Iterator[Dimension]:
    """Routes or documents, by whole days, the one of the change aside unless it is the last."""
    window = measured.window
    if name == "document" and not window.by_document:
        return
    day = measured.day_of(moment)
    later = day + timedelta(days=1)
    whole = measured.midnight(day) == moment or later >= window.next_day
    days = {"before_to": day, "since_from": day if whole else later}
    if name == "route":
        found = measured.run("segments", route=None, **days)
    else:
        found = measured.run("documents", **days)
    rows = [(bool(row[0]), row[1] or "", *row[-2:], None) for row in found]
    if {bool(row[0]) for row in rows} == {False, True}:
        yield _dimension(name, rows)
