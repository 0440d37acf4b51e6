"""What to know first: a few sentences that are certainly true, worst first.

They describe the week; none of them claims that something changed or why. The tests for that
belong to another part of the program and have their place at the top of the page.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from analyzer.charts import numbers
from analyzer.report import names
from analyzer.report.model import Finding, Head, Span, Text
from analyzer.report.writing import Row

AT_MOST = 3
Rows = Callable[[str], Sequence[Row]]  # the rows of one query, those of other weeks left out


def findings(
    head: Head, rows: Rows, labels: dict[str, str], last_seen: dict[str, date], least: int
) -> tuple[Finding, ...]:
    """The first few that apply.

    `labels`: route as logged to route as shown; `last_seen`: the latter to its last answer.
    """
    found = (
        incomplete(head),
        silent(last_seen, head.week),
        unread(head),
        wrong_answers(rows("expected_funnel"), labels, head.week, least),
        near_copies(rows("near_copies"), rows("near_copy_documents"), labels, head.week, least),
        without_citation(rows("citation_faults"), labels, head.week, least),
        at_budget(rows("context_tokens"), labels, head.week, least),
    )
    return tuple(finding for finding in found if finding)[:AT_MOST]


def incomplete(head: Head) -> Finding | None:
    """Days of the week on which nothing at all was logged."""
    if head.complete:
        return None
    days = _days(head.silent_days)
    left = 7 - len(head.silent_days)
    text = f"No requests on {days}, so every count of this week is of {left} days."
    return Finding("Incomplete week", (Span(text),), _command("week_days", head.week))


def silent(last_seen: dict[str, date], week: date) -> Finding | None:
    """Routes that answered within the four weeks before, and not once in this one."""
    since = week - timedelta(weeks=4)
    gone = sorted(route for route, last in last_seen.items() if since <= last < week)
    if not gone:
        return None
    latest = max(gone, key=lambda route: last_seen[route])
    more = f" Routes silent in all: {len(gone)}." if len(gone) > 1 else ""
    text = (
        Span(latest, "name"),
        Span(f" has no answers this week; its last was on {numbers.day(last_seen[latest])}.{more}"),
    )
    return Finding("Silent", text, _command("week_days", week))


def unread(head: Head) -> Finding | None:
    """Files set aside whole, and rejected lines where they are one in a hundred or more."""
    lines = head.lines
    if lines["set_aside"]:
        files = f"{numbers.count(lines['set_aside'])} of {numbers.count(lines['batches'])} files"
        text = f"{files} were set aside, too much of them being rejected; nothing of them counts."
        return Finding("Not read", (Span(text),), "citelog batches")
    if lines["rejected"] * 100 < lines["read"] or not lines["read"]:
        return None
    share = numbers.rate(lines["rejected"] / lines["read"])
    text = (
        f"{share} of {numbers.count(lines['read'])} lines in all files could not become a record."
    )
    return Finding("Not read", (Span(text),), "citelog query rejected_reasons")


def wrong_answers(
    rows: Sequence[Row], labels: dict[str, str], week: date, least: int
) -> Finding | None:
    """Where the expected chunk of wrong answers was lost most often, on one route."""
    wrong = [
        row
        for row in rows
        if row["judged_as"] == "wrong" and row["labelled"] >= least and row["outcome"] in _LOST
    ]
    if not wrong:
        return None
    most = max(wrong, key=lambda row: float(row["share"] or 0))
    text = (
        Span(labels[most["route"]], "name"),
        Span(f": of {numbers.count(most['labelled'])} wrong answers with a known chunk, "),
        Span(f"{numbers.rate(most['share'])} "),
        _interval(most["low"], most["high"]),
        Span(f" {_LOST[most['outcome']]}."),
    )
    return Finding("Wrong answers", text, _command("expected_funnel", week, most["route"]))


_LOST = {
    "not_retrieved": "never had it retrieved",
    "cut": "had it retrieved but not packed",
    "uncited": "had it in the prompt and did not cite it",
}


def near_copies(
    rows: Sequence[Row],
    documents: Sequence[Row],
    labels: dict[str, str],
    week: date,
    least: int,
) -> Finding | None:
    """The route with the largest share of near-copies, and the document that brings most."""
    copied = [row for row in rows if row["packed_compared"] >= least and row["involved"]]
    if not copied:
        return None
    most = max(copied, key=lambda row: float(row["involved_rate"]))
    text: Text = (
        Span(labels[most["route"]], "name"),
        Span(f": {numbers.rate(most['involved_rate'])} "),
        _interval(most["low"], most["high"]),
        Span(
            f" of {numbers.count(most['packed_compared'])} packed chunks "
            "have a near-copy beside them"
        ),
    )
    mine = [row for row in documents if row["route"] == most["route"]]
    command = _command("near_copy_documents", week, most["route"])
    return Finding("Near-copies", (*text, *_document(mine)), command)


def _document(rows: Sequence[Row]) -> Text:
    if not rows:
        return (Span("."),)
    largest = max(rows, key=lambda row: int(row["copies"]))
    return (
        Span("; "),
        Span(names.shown(largest["doc_id"]), "name"),
        Span(f" brings {numbers.rate(largest['copies_share'])} of the redundant ones."),
    )


def without_citation(
    rows: Sequence[Row], labels: dict[str, str], week: date, least: int
) -> Finding | None:
    """The route on which the largest share of answers cites nothing."""
    enough = [row for row in rows if row["answers"] >= least and row["citation_free"]]
    if not enough:
        return None
    most = max(enough, key=lambda row: float(row["citation_free_rate"]))
    text = (
        Span(labels[most["route"]], "name"),
        Span(f": {numbers.rate(most['citation_free_rate'])} "),
        _interval(most["free_low"], most["free_high"]),
        Span(
            f" of {numbers.count(most['answers'])} answers cite none of their chunks, "
            "the most of all routes."
        ),
    )
    return Finding("Without a citation", text, _command("citation_faults", week, most["route"]))


def at_budget(
    rows: Sequence[Row], labels: dict[str, str], week: date, least: int
) -> Finding | None:
    """The route where most requests fill their budget, from one in ten on."""
    full = [row for row in rows if row["budgeted"] >= least and (row["at_budget_rate"] or 0) >= 0.1]
    if not full:
        return None
    most = max(full, key=lambda row: float(row["at_budget_rate"]))
    text = (
        Span(labels[most["route"]], "name"),
        Span(f": {numbers.rate(most['at_budget_rate'])} of {numbers.count(most['budgeted'])} "),
        Span("requests with a budget use 95% of it or more."),
    )
    return Finding("At the budget", text, _command("context_tokens", week, most["route"]))


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
    return _listed([numbers.day(day) for day in days])


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
