"""An investigation in words and small tables, the same for the terminal, the page and a reader.

The order is the one in which it is asked at night: what moved and how sure, when it began, what
carries it, what it most probably is, five requests, the next command.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from analyzer import names, numbers
from analyzer.oncall.began import METHOD, Onset, Unknown
from analyzer.oncall.carried import Carried
from analyzer.oncall.grids import (
    DIMENSION_WORDS,
    Grid,
    change_sentence,
    contributions_grid,
    examples_grid,
    moment,
    said_label,
    side_words,
    written,
)
from analyzer.oncall.investigation import Found
from analyzer.oncall.questions import Investigation
from analyzer.stats.settings import LEAST_OF_A_RATE
from analyzer.telling.findings import probably
from analyzer.telling.spans import Span, Text
from analyzer.telling.words import words
from analyzer.watch.weighing import UNKNOWN, Candidate

REASONS = 3
OTHERS = 2  # causes told beside the most probable one


@dataclass(frozen=True)
class Section:
    """A title, sentences, a table, and what is said in small below them."""

    title: str
    sentences: tuple[Text, ...]
    grid: Grid | None = None
    small: tuple[str, ...] = ()


@dataclass(frozen=True)
class Told:
    """All of an investigation."""

    subject: str
    remarks: tuple[str, ...]
    headline: Text
    also: tuple[Text, ...]
    sections: tuple[Section, ...]
    commands: tuple[str, ...]


def told(one: Investigation) -> Told:
    """An investigation in words."""
    return Told(
        subject=one.subject,
        remarks=one.remarks,
        headline=one.headline,
        also=one.also,
        sections=tuple(_sections(one)),
        commands=tuple(_commands(one)),
    )


def _sections(one: Investigation) -> Iterator[Section]:
    if one.found is not None:
        yield _when(one, one.found)
        if one.found.carried is not None:
            yield _carried(one.found, one.found.carried)
    if one.cause is not None:
        yield _why(one.cause, one.others)
    if one.found is not None and one.found.examples:
        yield _requests(one.found)
    if one.found is not None and one.found.requests_from is not None:
        yield Section("From", ((Span(f"{one.found.requests_from}."),),))


def _commands(one: Investigation) -> Iterator[str]:
    if one.found is not None and one.found.examples:
        first = one.found.examples[0].request_id
        if names.shown(first, len(first)) == first:  # else it cannot be typed
            yield f"citelog request {shlex.quote(first)}"
    yield one.command


def _when(one: Investigation, found: Found) -> Section:
    switched = _switched(found)
    if isinstance(found.began, Unknown):
        why = found.began.why
        said: Text = (Span(f"{why[:1].upper()}{why[1:]}."),)
        return Section("When", tuple(text for text in (one.week, said, switched) if text))
    between = (Span(_between(found.began, found)),)
    other = found.dated_by != found.window.measure
    where = f" of {words()[found.dated_by].name}, which moved with it" if other else ""
    small = METHOD.format(where=where, counted=found.began.counted)
    return Section("When", tuple(text for text in (between, switched) if text), small=(small,))


def _between(began: Onset, found: Found) -> str:
    zone = "UTC" if found.zone.key == "UTC" else f"({found.zone.key})"
    return (
        f"Between {moment(began.earliest, found)} and {moment(began.latest, found)} {zone}, "
        f"most probably at {moment(began.moment, found)}."
    )


def _switched(found: Found) -> Text:
    """First seen: index version `i-9` Tue 17 Nov 02:37, release ..."""
    last = len(found.switches) - 1
    return tuple(
        span
        for at, each in enumerate(found.switches)
        for span in (
            Span(f"{'' if at else 'First seen: '}{DIMENSION_WORDS[each.kind]} "),
            Span(names.shown(each.label), "name"),
            Span(f" {moment(each.first_seen, found)}{'.' if at == last else ', '}"),
        )
    )


def _carried(found: Found, carried: Carried) -> Section:
    if carried.too_few:
        return Section("Carried by", (_too_few(found, carried),))
    whole = ", ".join(
        f"{DIMENSION_WORDS[each.name]} {names.shown(each.labels[0].label)}"
        for each in carried.dimensions
        if len(each.labels) == 1
    )
    measure = found.window.measure
    small = (
        *([f"All of it: {whole}."] if whole else []),
        *_all_routes(carried, found.window.route, measure),
        _adds_up(carried, measure),
    )
    grid = contributions_grid(measure, carried)
    return Section("Carried by", (change_sentence(found, carried),), grid, small)


def _too_few(found: Found, carried: Carried) -> Text:
    (before, since), (was, now) = carried.requests, side_words(found.window)
    told = f"{numbers.counted(before, 'request')} {was} and {numbers.count(since)} {now}"
    return (Span(f"Not told: {told}; {LEAST_OF_A_RATE} on each side are needed."),)


def _all_routes(carried: Carried, route: str, measure: str) -> Iterator[str]:
    """What the same is over all routes, and how much of that this one carries."""
    for of in carried.dimensions:
        mine = next((one for one in of.labels if one.label == route), None)
        if of.name == "route" and len(of.labels) > 1 and mine is not None:
            all_of_it, this = (written(each, measure) for each in (of.change, mine.total))
            yield (
                f"All routes together: {all_of_it} over whole days, of it "
                f"{names.shown(route, 40)} {this}."
            )


def _adds_up(carried: Carried, measure: str) -> str:
    """To what the parts add up; those of documents, by whole days, perhaps to another change."""
    of = carried.documents
    apart = f", documents to {written(of.change, measure)} over whole days" if of else ""
    return f"Each adds up to that change{apart}; a new label has no behaviour yet."


def _why(cause: Candidate, others: tuple[Candidate, ...]) -> Section:
    if cause.code == UNKNOWN:
        moved = tuple((Span(f"moved: {names.shown(each, 240)}"),) for each in cause.speaks_for)
        return Section("Why", ((Span(probably(cause)),), *moved[:REASONS]))
    sentences: list[Text] = [(Span(probably(cause)),)]
    sentences += [(Span(f"for: {names.shown(each, 240)}"),) for each in cause.speaks_for[:REASONS]]
    against = cause.speaks_against[:REASONS]
    sentences += [(Span(f"against: {names.shown(each, 240)}"),) for each in against]
    if not against:
        sentences.append((Span("against: nothing of the table"),))
    return Section("Why", (*sentences, *_less_probable(others)))


def _less_probable(others: tuple[Candidate, ...]) -> Iterator[Text]:
    thought = [each for each in others if each.points][:OTHERS]
    if thought:
        told = (f"{each.title[:1].lower()}{each.title[1:]} ({each.points})" for each in thought)
        yield (Span(f"Less probably {', '.join(told)}."),)


def _requests(found: Found) -> Section:
    leading = found.carried.leading if found.carried else None
    label: Text = ()
    if leading is not None:
        named = said_label(leading.dimension, leading.label)
        label = (
            Span(f"with {DIMENSION_WORDS[leading.dimension]} "),
            Span(named, "name"),
            Span(" "),
        )
    sentence = (Span("Those "), *label, Span("that add most to it, each of another unit."))
    return Section("Requests", (sentence,), examples_grid(found))
