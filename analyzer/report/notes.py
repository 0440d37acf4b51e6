"""What to know beside the tests: a few sentences that are certainly true, worst first.

They describe the week and what was read of it; none of them claims that something changed or why.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from analyzer import names, numbers
from analyzer.report.model import Head, Note
from analyzer.report.parts import Scene
from analyzer.report.writing import Row
from analyzer.telling.spans import Span

SILENT_AFTER = timedelta(weeks=4)  # a route that answered within these is missed
MUCH_REJECTED = 0.01

_TAKEN_FOR = {"position": "rank", "rank": "position"}

Rows = Callable[[str], Sequence[Row]]  # all rows of one query

_LOST = {
    "not_retrieved": "never had it retrieved",
    "cut": "had it retrieved but not packed",
    "uncited": "had it in the prompt and did not cite it",
}


def notes(head: Head, rows: Rows, scene: Scene, *, tested: bool) -> tuple[Note, ...]:
    """Those that apply; where the week was tested, silent routes are told as not checked."""
    found = (
        incomplete(head),
        None if tested else silent(scene),
        unread(head),
        unlisted(rows("data_quality"), scene),
        assumed(rows("data_quality"), scene),
        unkept(rows("data_quality"), scene),
        wrong_answers(rows("expected_funnel"), scene),
    )
    return tuple(note for note in found if note)


def incomplete(head: Head) -> Note | None:
    """Days of the week on which nothing at all was logged."""
    if head.complete:
        return None
    left = 7 - len(head.silent_days)
    days = _days(head.silent_days)
    text = (
        f"No requests on {days}, so every count of this week is of {numbers.counted(left, 'day')}."
    )
    return Note("Incomplete week", (Span(text),), _command("week_days", head.week))


def silent(scene: Scene) -> Note | None:
    """Routes that answered lately, and not once in this week."""
    since = scene.week - SILENT_AFTER
    gone = sorted(route for route, last in scene.last_seen.items() if since <= last < scene.week)
    if not gone:
        return None
    latest = max(gone, key=lambda route: scene.last_seen[route])
    last = numbers.day(scene.last_seen[latest])
    more = f" Routes silent in all: {len(gone)}." if len(gone) > 1 else ""
    text = (Span(latest, "name"), Span(f" has no answers this week; its last was on {last}.{more}"))
    return Note("Silent", text, _command("week_days", scene.week))


def unread(head: Head) -> Note | None:
    """Files set aside whole, and rejected lines where they are many."""
    lines = head.lines
    if lines["set_aside"]:
        files = f"{numbers.count(lines['set_aside'])} of {numbers.count(lines['batches'])} files"
        text = f"{files} were set aside, too much of them being rejected; nothing of them counts."
        return Note("Not read", (Span(text),), "citelog batches")
    if not lines["read"] or lines["rejected"] / lines["read"] < MUCH_REJECTED:
        return None
    share = numbers.rate(lines["rejected"] / lines["read"])
    text = (
        f"{share} of {numbers.count(lines['read'])} lines in all files could not become a record."
    )
    return Note("Not read", (Span(text),), "citelog query rejected_reasons")


def unlisted(rows: Sequence[Row], scene: Scene) -> Note | None:
    """Answers whose log does not list what was packed, on the route that has most of them."""
    narrow = [row for row in rows if row["field"] == "packed chunks" and row["missing"]]
    if not narrow:
        return None
    most = max(narrow, key=lambda row: int(row["missing"]))
    text = (
        Span(scene.labels[most["route"]], "name"),
        Span(
            f": {numbers.count(most['missing'])} of {numbers.count(most['total'])} answers list "
            "only what was cited, or a used part of what was packed, so they enter no cited rate "
            f"and no measure of position.{_others(narrow)}"
        ),
    )
    return Note("Not listed", text, _command("data_quality", scene.week, most["route"]))


def assumed(rows: Sequence[Row], scene: Scene) -> Note | None:
    """Positions or ranks that were taken for each other, on the route where most were."""
    taken = [row for row in rows if row["field"] in _TAKEN_FOR and row["assumed_rate"]]
    if not taken:
        return None
    most = max(taken, key=lambda row: float(row["assumed_rate"]))
    text = (
        Span(scene.labels[most["route"]], "name"),
        Span(
            f": the {most['field']} of {numbers.rate(most['assumed_rate'])} of "
            f"{numbers.count(most['requests'])} requests is assumed to be the "
            f"{_TAKEN_FOR[most['field']]}, so they tell no effect of position.{_others(taken)}"
        ),
    )
    return Note("Assumed", text, _command("data_quality", scene.week, most["route"]))


def unkept(rows: Sequence[Row], scene: Scene) -> Note | None:
    """Values that are not as logged in weeks whose requests are gone, which alone said why."""
    gone = [row for row in rows if row["not_logged"] and row["assumed_rate"] is None]
    if not gone:
        return None
    fields = numbers.counted(len({row["field"] for row in gone}), "field")
    text = (
        f"This week is sealed: of {fields} it is kept how many values are not as logged, but not "
        "whether they were parsed, counted, derived, estimated or assumed."
    )
    return Note("Not kept", (Span(text),), _command("data_quality", scene.week))


def _others(rows: Sequence[Row]) -> str:
    routes = len({row["route"] for row in rows})
    return f" Routes like it in all: {routes}." if routes > 1 else ""


def wrong_answers(rows: Sequence[Row], scene: Scene) -> Note | None:
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
    return Note("Wrong answers", text, _command("expected_funnel", scene.week, most["route"]))


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
