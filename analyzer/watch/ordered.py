"""Facts of ranks, positions and orderings: how prompts are filled, laid out and cited."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from math import hypot

from analyzer import numbers
from analyzer.measures.ordering_days import ordering_days
from analyzer.measures.orderings import resolved, shares, told_apart
from analyzer.measures.rows import Scope
from analyzer.watch import shape
from analyzer.watch.asked import Asked
from analyzer.watch.counted import most_moved
from analyzer.watch.estimated import against
from analyzer.watch.facts import SURE, Fact, Side, direction, share

WEEK = timedelta(weeks=1)
TURNS = 2  # days of change that are named


@dataclass(frozen=True)
class Orderings:
    """Shares of requests of three chunks or more by ordering, and how many requests there are."""

    shares: dict[str, float]
    requests: int


def ranks(asked: Asked) -> tuple[Fact, Fact]:
    """Where cited chunks ranked, and whether a better rank is packed less often than a weaker."""
    before, since = ([shape.Rank(*row) for row in rows] for rows in asked.sides("ranks"))
    return (
        asked.compared("cited_rank", shape.mean_log2_rank(before), shape.mean_log2_rank(since)),
        asked.compared("best_ranks_lost", shape.gap_above(before), shape.gap_above(since)),
    )


def positions(asked: Asked) -> tuple[Fact, Fact, Fact]:
    """The end against the start, the place whose share of cited chunks moved most, the markers."""
    before, since = (shape.tabled(rows) for rows in asked.sides("positions"))
    ends = shape.end_against_start(before), shape.end_against_start(since)
    return (
        asked.compared("last_cited", *ends),
        _places(asked, before, since),
        _markers(asked, before, since),
    )


def _places(asked: Asked, before: shape.Positions, since: shape.Positions) -> Fact:
    was, now = shape.by_place(before), shape.by_place(since)
    total, later = (sum(cited for _, cited in side.values()) for side in (was, now))
    return most_moved(
        [
            asked.compared(
                "positions",
                share(was[place][1], total),
                share(now[place][1], later),
                title=title,
            )
            for place, title in _PLACES.items()
        ]
    )


_PLACES = {
    "start": "cited chunks at the start of the prompt",
    "middle": "cited chunks in the middle of the prompt",
    "end": "cited chunks at the end of the prompt",
}


def _markers(asked: Asked, before: shape.Positions, since: shape.Positions) -> Fact:
    name = "marker_shift"
    if min(_packed(before), _packed(since)) < asked.table.least_base:
        return asked.unknown(name)
    found = shape.marker_shift(before, since)
    if not found.moved or found.left >= asked.row(name).least:
        return Fact(name, "same", "citations stand at the positions where they stood", 0.0, 0.0)
    words = (
        f"{numbers.rate(found.share)} of the citations moved by {found.moved:+d} tell the "
        f"cited rates by position since: {numbers.rate(found.left)} of the misfit is left"
    )
    return Fact(name, "up", numbers.signed_minus(words), 0.0, float(found.moved))


def _packed(positions: shape.Positions) -> int:
    return sum(packed for packed, _ in positions.values())


def seen(asked: Asked) -> tuple[Orderings, Orderings]:
    """The orderings in use before and since."""
    before, since = (
        Orderings(shares(rows, resolved(rows)), sum(n for name, _, n in rows if name != "short"))
        for rows in asked.sides("orderings")
    )
    return before, since


def orderings(asked: Asked, before: Orderings, since: Orderings) -> tuple[Fact, Fact, Fact]:
    """Whether the ordering changed, to one by first-stage score, or to one that looks cut."""
    to_score, to_cut = (
        asked.compared(name, *(Side(each.shares.get(ordering, 0.0), each.requests)
                               for each in (before, since)))
        for name, ordering in (("score_order", "score_order"), ("cut_order", "edges_first_cut"))
    )  # fmt: skip
    return _switch(asked, before, since), to_score, to_cut


def _switch(asked: Asked, before: Orderings, since: Orderings) -> Fact:
    name = "ordering"
    if min(before.requests, since.requests) < asked.table.least_base:
        return asked.unknown(name)
    elsewhere = shape.total_difference(told_apart(before.shares), told_apart(since.shares))
    state = direction(elsewhere, asked.row(name).least)
    words = f"ordering: {_told(before)} before, {_told(since)} since"
    return Fact(name, state, words + (_turns(asked) if state == "up" else ""), 0.0, elsewhere)


def _turns(asked: Asked) -> str:
    """The days on which it changed, of those from a week before the start on."""
    span = asked.span
    around = Scope(max(span.first_day, span.start - WEEK), span.next_day, span.route)
    rows = ordering_days(asked.con, around).to_pylist()
    days = sorted({row["day"] for row in rows if row["changed"]})
    told = [numbers.day(day) for day in days[:TURNS]]
    return f"; changed on {' and '.join(told)}" if told else ""


def _told(found: Orderings) -> str:
    largest = list(found.shares.items())[:3]
    told = [f"{name.replace('_', ' ')} {numbers.rate(part)}" for name, part in largest]
    return f"{', '.join(told)} of {numbers.count(found.requests)} requests"


def middle(asked: Asked) -> Fact:
    """The position effect, from the weeks in which it could be estimated."""
    name, weak = "middle", asked.effect.weak_se
    was, now = (shape.pooled(rows, weak) for rows in asked.sides("dips"))
    if was is None or now is None:
        return asked.unknown(name)
    row, change = asked.row(name), now.value - was.value
    sure = abs(change) > SURE * hypot(was.se, now.se)
    words = (
        f"{row.title}: {against(was.value)} before, {against(now.value)} since "
        f"({numbers.count(now.size)} {row.base})"
    )
    state = direction(change, row.least) if sure else "same"
    return Fact(name, state, words, was.value, now.value)
