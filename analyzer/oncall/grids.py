"""The two tables of an investigation: what carries the change, and requests to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from analyzer import names, numbers
from analyzer.oncall.carried import DOCUMENTS, Carried, Dimension
from analyzer.oncall.examples import Example
from analyzer.oncall.investigation import Found
from analyzer.oncall.measured import RANK, TOKENS, Window
from analyzer.stats.contributions import Contribution
from analyzer.stats.settings import DIP, LEAST_OF_A_RATE
from analyzer.telling.spans import Span, Text

LABELS = 2  # told by name of each dimension
SMALL = 0.005  # of the change; less is not told by name
DIMENSION_WORDS = {
    "route": "route",
    "index_version": "index version",
    "model": "model",
    "release": "release",
    "prompt_version": "prompt version",
    "ordering": "ordering",
    "document": "document",
}


@dataclass(frozen=True)
class Grid:
    """A small table; the first `texts` columns are words, the others numbers."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int


def moment(at: datetime, found: Found) -> str:
    """Tue 17 Nov 02:00, in the time zone of the store."""
    return f"{at.replace(tzinfo=UTC).astimezone(found.zone):%a %d %b %H:%M}"


def said_label(dimension: str, label: str) -> str:
    """A label as it is shown."""
    if dimension == "document" and not label:
        return "(not named)"
    return names.shown(label.replace("_", " ") if dimension == "ordering" else label, 40)


def contributions_grid(measure: str, carried: Carried) -> Grid | None:
    """The largest parts of every dimension that holds more than one label; None: none does.

    Routes are not among them: theirs is the change of all routes, another one.
    """
    unit = "log2 ranks" if measure == RANK else "points"
    of_the_route = (each for each in carried.dimensions if each.name != "route")
    told = (*of_the_route, *filter(None, [carried.documents]))
    rows = tuple(row for each in told if len(each.labels) > 1 for row in _rows(each, measure))
    headings = ("by", "label", unit, "part", "behaviour", "mix")
    return Grid(headings, rows, 2) if rows else None


def _rows(of: Dimension, measure: str) -> Iterator[tuple[str, ...]]:
    """The largest parts by name, the rest together."""
    most = DOCUMENTS if of.name == "document" else LABELS
    shown = [one for one in of.labels[:most] if abs(of.part(one)) >= SMALL] or list(of.labels[:1])
    for at, one in enumerate(shown):
        name = DIMENSION_WORDS[of.name] if at == 0 else ""
        yield (name, said_label(of.name, one.label), *_numbers(of, [one], measure))
    rest = of.labels[len(shown) :]
    if rest and written(sum(one.total for one in rest), measure).strip("+−0."):
        yield ("", f"({numbers.counted(len(rest), 'other')})", *_numbers(of, rest, measure))


_ABSENT = {"new": "new", "gone": "gone", "few": f"n < {LEAST_OF_A_RATE}"}


def _numbers(of: Dimension, some: Sequence[Contribution], measure: str) -> tuple[str, ...]:
    total = sum(one.total for one in some)
    part = numbers.signed_minus(f"{100 * total / of.change:.0f}%") if of.change else numbers.UNKNOWN
    split = tuple(
        written(sum(getattr(one, name) for one in some), measure) for name in ("behaviour", "mix")
    )
    if {one.presence for one in some} != {"both"} and len(some) == 1:
        split = (_ABSENT[some[0].presence], "")
    return written(total, measure), part.replace("−0%", "0%"), *split


def change_sentence(found: Found, carried: Carried) -> Text:
    """1.6% of 12,278 packed chunks before, 36.2% of 6,319 since: +34.6 points (95% ...)."""
    measure = found.window.measure
    told = " to ".join(written(end, measure) for end in carried.change.interval() or ())
    unit = "" if measure == RANK else " points"
    return (
        Span(f"{_followed(found)}{_sides(found, carried)}: "),
        Span(f"{written(carried.change.value or 0.0, measure)}{unit}"),
        Span(f" (95% interval {told})" if told else "", "interval"),
        Span("."),
    )


def _followed(found: Found) -> str:
    """What is followed in the place of a measure that is no rate."""
    if found.window.measure == TOKENS:
        return f"Prompts longer than {numbers.rounded(found.long_tokens or 0)} tokens: "
    if found.window.measure == DIP:
        return "Cited in the middle, of what the edges at the same K and rank would be: "
    return "Mean log2 of the rank: " if found.window.measure == RANK else ""


def side_words(window: Window) -> tuple[str, str]:
    """Before and since, or with the one release and with the other."""
    if window.release is None or window.against is None:
        return "before", "since"
    return f"with {names.shown(window.against)}", f"with {names.shown(window.release)}"


def _sides(found: Found, carried: Carried) -> str:
    window = found.window
    said = side_words(window)
    write = numbers.fine if window.measure == RANK else numbers.rate
    (was, now), (before, since) = carried.levels, carried.wholes
    return (
        f"{write(was)} of {numbers.count(before)} {window.noun} {said[0]}, "
        f"{write(now)} of {numbers.count(since)} {said[1]}"
    )


def written(value: float, measure: str) -> str:
    """A difference without its unit: points, or base-2 logarithms of ranks."""
    if measure != RANK:
        return numbers.points(value).removesuffix(" points")
    shown = f"{value:+.2f}"
    return numbers.signed_minus(shown) if float(shown) else "0.00"


def examples_grid(found: Found) -> Grid:
    """Requests with their time, K, context tokens and, where it says something, their part."""
    counted = found.window.measure != DIP  # whose parts are weighted
    parts = counted and any(one.whole != 1 for one in found.examples)
    heading = f"of its {found.window.noun}" if found.window.measure != RANK else "mean log2 rank"
    headings = ("request", "time", "K", "tokens", *([heading] if parts else []))
    rows = tuple(
        (
            names.shown(one.request_id, 40),
            moment(one.requested_at, found),
            numbers.count(one.k),
            numbers.count(one.context_tokens),
            *([_part(one, found.window.measure)] if parts else []),
        )
        for one in found.examples
    )
    return Grid(headings, rows, 2)


def _part(one: Example, measure: str) -> str:
    if measure == RANK:
        return numbers.fine(one.part / one.whole)
    return f"{numbers.count(one.part)} of {numbers.count(one.whole)}"
