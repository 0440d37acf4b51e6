"""What to know first: a few sentences that are certainly true, worst first.

They describe the week; none of them claims that something changed or why. The tests for that
belong to another part of the program and have their place at the top of the page.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

from analyzer import names, numbers
from analyzer.report.model import Finding, Head, Span, Text
from analyzer.report.parts import Scene
from analyzer.report.writing import Row

AT_MOST = 3
SILENT_AFTER = timedelta(weeks=4)  # a route that answered within these is missed
MUCH_REJECTED = 0.01
MUCH_AT_BUDGET = 0.1
MUCH_OF_THE_COPIES = 0.1  # what one document must bring to be named

Rows = Callable[[str], Sequence[Row]]  # all rows of one query

_LOST = {
    "not_retrieved": "never had it retrieved",
    "cut": "had it retrieved but not packed",
    "uncited": "had it in the prompt and did not cite it",
}


def findings(head: Head, rows: Rows, scene: Scene) -> tuple[Finding, ...]:
    """The first few that apply."""
    found = (
        incomplete(head),
        silent(scene),
        unread(head),
        wrong_answers(rows("expected_funnel"), scene),
        near_copies(rows("near_copies"), rows("near_copy_documents"), scene),
        without_citation(rows("citation_faults"), scene),
        at_budget(rows("context_tokens"), scene),
    )
    return tuple(finding for finding in found if finding)[:AT_MOST]


def incomplete(head: Head) -> Finding | None:
    """Days of the week on which nothing at all was logged."""
    if head.complete:
        return None
    left = 7 - len(head.silent_days)
    days = _days(head.silent_days)
    text = f"No requests on {days}, so every count of this week is of {left} days."
    return Finding("Incomplete week", (Span(text),), _command("week_days", head.week))


def silent(scene: Scene) -> Finding | None:
    """Routes that answered lately, and not once in this week."""
    since = scene.week - SILENT_AFTER
    gone = sorted(route for route, last in scene.last_seen.items() if since <= last < scene.week)
    if not gone:
        return None
    latest = max(gone, key=lambda route: scene.last_seen[route])
    last = numbers.day(scene.last_seen[latest])
    more = f" Routes silent in all: {len(gone)}." if len(gone) > 1 else ""
    text = (Span(latest, "name"), Span(f" has no answers this week; its last was on {last}.{more}"))
    return Finding("Silent", text, _command("week_days", scene.week))


def unread(head: Head) -> Finding | None:
    """Files set aside whole, and rejected lines where they are many."""
    lines = head.lines
    if lines["set_aside"]:
        files = f"{numbers.count(lines['set_aside'])} of {numbers.count(lines['batches'])} files"
        text = f"{files} were set aside, too much of them being rejected; nothing of them counts."
        return Finding("Not read", (Span(text),), "citelog batches")
    if not lines["read"] or lines["rejected"] / lines["read"] < MUCH_REJECTED:
        return None
    share = numbers.rate(lines["rejected"] / lines["read"])
    text = (
        f"{share} of {numbers.count(lines['read'])} lines in all files could not become a record."
    )
    return Finding("Not read", (Span(text),), "citelog query rejected_reasons")


def wrong_answers(rows: Sequence[Row], scene: Scene) -> Finding | None:
    """Where the expected chunk of wrong answers was lost most often, on one route."""
    wrong = [row for row in rows if row["judged_as"] == "wrong" and row["outcome"] in _LOST]
    most = _most(wrong, "low", "labelled", scene)
    if most is None:
        return None
    text = (
        Span(scene.labels[most["route"]], "name"),
        Span(f": of {numbers.count(most['labelled'])} wrong answers with a known chunk, "),
        Span(f"{numbers.rate(most['share'])} "),
        _interval(most["low"], most["high"]),
        Span(f" {_LOST[most['outcome']]}."),
    )
    return Finding("Wrong answers", text, _command("expected_funnel", scene.week, most["route"]))


def near_copies(rows: Sequence[Row], documents: Sequence[Row], scene: Scene) -> Finding | None:
    """The route most surely full of near-copies, what it was before, and what brings them."""
    most = _most(rows, "low", "packed_compared", scene)
    if most is None:
        return None
    mine = [row for row in rows if row["route"] == most["route"]]
    text: Text = (
        Span(scene.labels[most["route"]], "name"),
        Span(f": {numbers.rate(most['involved_rate'])} "),
        _interval(most["low"], most["high"]),
        Span(f" of {numbers.count(most['packed_compared'])} packed chunks have a near-copy"),
        Span(f" beside them{_before(mine, scene.week)}."),
        *_brought_by([row for row in documents if row["route"] == most["route"]]),
    )
    command = _command("near_copy_documents", scene.week, most["route"])
    return Finding("Near-copies", text, command)


def without_citation(rows: Sequence[Row], scene: Scene) -> Finding | None:
    """A route on which a large share of answers cites nothing."""
    most = _most(rows, "free_low", "answers", scene)
    if most is None:
        return None
    answers = numbers.count(most["answers"])
    text = (
        Span(scene.labels[most["route"]], "name"),
        Span(f": {numbers.rate(most['citation_free_rate'])} "),
        _interval(most["free_low"], most["free_high"]),
        Span(f" of {answers} answers cite none of the chunks in their prompt."),
    )
    command = _command("citation_faults", scene.week, most["route"])
    return Finding("Without a citation", text, command)


def at_budget(rows: Sequence[Row], scene: Scene) -> Finding | None:
    """The route where most requests fill their budget, where that is not rare."""
    most = _most(rows, "at_budget_rate", "budgeted", scene)
    if most is None or most["at_budget_rate"] < MUCH_AT_BUDGET:
        return None
    text = (
        Span(scene.labels[most["route"]], "name"),
        Span(f": {numbers.rate(most['at_budget_rate'])} of {numbers.count(most['budgeted'])} "),
        Span("requests with a budget use 95% of it or more."),
    )
    return Finding("At the budget", text, _command("context_tokens", scene.week, most["route"]))


def _most(rows: Sequence[Row], rate: str, n: str, scene: Scene) -> Row | None:
    """This week's row with the largest rate among those that rest on enough; None if all are 0.

    Where there is an interval its lower end is compared, so that a few odd requests do not win.
    """
    enough = [
        row
        for row in rows
        if row.get("week", scene.week) == scene.week and row[n] >= scene.least and row[rate]
    ]
    return max(enough, key=lambda row: float(row[rate]), default=None)


def _before(rows: Sequence[Row], week: date) -> str:
    """The share of near-copies in the earlier weeks that are drawn, pooled."""
    earlier = [row for row in rows if row["week"] < week and row["packed_compared"]]
    compared = sum(row["packed_compared"] for row in earlier)
    if not compared:
        return ""
    share = numbers.rate(sum(row["involved"] for row in earlier) / compared)
    weeks = f"{len(earlier)} weeks" if len(earlier) > 1 else "week"
    return f", {share} in the {weeks} before"


def _brought_by(documents: Sequence[Row]) -> Text:
    """The document that brings much of the copies, else the index version that does."""
    if not documents:
        return ()
    largest = max(documents, key=lambda row: int(row["copies"]))
    if largest["copies_share"] >= MUCH_OF_THE_COPIES:
        return _brought(largest["doc_id"], largest["copies_share"], "", largest["first_copy_on"])
    versions = {row["index_version"] for row in documents}
    shares = {version: _total(documents, version) for version in sorted(versions)}
    version = max(shares, key=lambda version: shares[version])
    if len(shares) == 1:
        return ()
    first = min(row["first_copy_on"] for row in documents if row["index_version"] == version)
    return _brought(version, min(shares[version], 1.0), "at least ", first, "Index version ")


def _total(documents: Sequence[Row], version: str) -> float:
    """At least this share, for the smallest documents are not kept."""
    shares = (row["copies_share"] for row in documents if row["index_version"] == version)
    return float(sum(shares))


def _brought(name: str, share: float, how: str, first: Any, what: str = "Document ") -> Text:
    return (
        Span(f" {what}"),
        Span(names.shown(name), "name"),
        Span(f" brings {how}{numbers.rate(share)} of the redundant ones, the first on "),
        Span(f"{numbers.day(first)}."),
    )


def _interval(low: float | None, high: float | None) -> Span:
    return Span(f"(95% interval {numbers.bounds(low, high, numbers.rate)})", "interval")


def _command(query: str, week: date, route: str | None = None) -> str:
    """A command to paste; a route whose name cannot be typed is left out of it."""
    asked = f"citelog query {query} --param week={numbers.iso_week(week)}"
    if route is None or names.shown(route) != route:
        return asked
    return f"{asked} --param {shlex.quote(f'route={route}')}"


def _days(days: Sequence[date]) -> str:
    """A stretch of days as one, single ones after each other."""
    if len(days) > 2 and (days[-1] - days[0]).days == len(days) - 1:
        return numbers.days(days[0], days[-1])
    said = [numbers.day(day) for day in days]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
