"""The confusion table of incidents and causes: what each is called that is planted alone.

python -m tests.validation.incidents [--requests 20000] [--weeks 26] [--incidents FILE]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from analyzer.errors import CitelogError
from analyzer.simulate import Incident, Route, Scenario, incidents_of, standard, with_incidents
from analyzer.simulate.incidents import KINDS
from analyzer.watch import alarms
from analyzer.watch.cause_table import cause_table
from analyzer.watch.causes import explain
from analyzer.watch.grouping import grouped
from analyzer.watch.mixing import Mix, mix_line
from analyzer.watch.naming import monday_of
from analyzer.watch.weighing import UNKNOWN

from .striking import Stable

FIRST = datetime(2026, 5, 25, tzinfo=UTC)
EXAMPLES = Path(__file__).with_name("incidents.toml")
NOTHING, MIX = "nothing", "mix line"
EXPECTED = {
    "reindex_copies": "old_copies",
    "top_k_30": "packing",
    "ordering_switched": "ordering",
    "dip_deepens": "model",
    "prompt_cut": "prompt_cut",
    "retriever_drift": "retriever_drift",
    "mix_shift": MIX,
    "logging_breaks": "logging_broke",
    "score_order": "score_order",
    "markers_off_by_one": "markers_off_by_one",
}


@dataclass(frozen=True)
class Case:
    """What is planted at once."""

    incidents: tuple[Incident, ...]

    @property
    def name(self) -> str:
        """Kinds and routes."""
        return " and ".join(
            f"{each.kind} on {', '.join(each.routes) or 'all routes'}" for each in self.incidents
        )

    @property
    def week(self) -> date:
        """The Monday of the week in which it begins."""
        first = min(each.since for each in self.incidents).date()
        return first - timedelta(days=first.weekday())


@dataclass(frozen=True)
class Outcome:
    """What was found; the worst finding first."""

    causes: list[str]
    points: list[int]
    routes: list[str]  # of the worst finding
    start: date | None  # of the worst finding
    mix: Mix | None

    @property
    def named(self) -> str:
        """The cause of the worst finding, or what else was said."""
        if self.causes:
            return self.causes[0]
        return MIX if self.mix else NOTHING


def judged(stable: Stable, case: Case, last: date) -> Outcome:
    """Plant a case and look at the alarms of the week `last`."""
    with stable.struck(*case.incidents) as con:
        told = alarms(con, last)
        findings = grouped(told, explain(con, told))
        mix = mix_line(con, last)
    return Outcome(
        causes=[each.cause.code for each in findings],
        points=[each.cause.points for each in findings],
        routes=list(findings[0].routes) if findings else [],
        start=monday_of(findings[0].begun.week) if findings else None,
        mix=mix,
    )


def planted(scenario: Scenario, since: datetime) -> Iterator[Case]:
    """Every kind of incident on each route on which it can be seen, and on all of them."""
    for kind in KINDS:
        for route in scenario.routes:
            if kind != "dip_deepens" or _tells_a_dip(route):
                yield from _possible(
                    scenario, Incident(kind=kind, since=since, routes=(route.name,))
                )
        yield from _possible(scenario, Incident(kind=kind, since=since))


def _tells_a_dip(route: Route) -> bool:
    """With one ordering for everyone rank and position are one: a dip is refused, as it should."""
    return len(route.orderings) > 1 or route.explored > 0


def _possible(scenario: Scenario, incident: Incident) -> Iterator[Case]:
    try:
        with_incidents(scenario, [incident])
    except CitelogError:  # it makes no sense on that route
        return
    yield Case((incident,))


def of_file(path: Path) -> Iterator[Case]:
    """Each incident of a TOML file, alone.

    Positions that are all 1 are left out: their lines are rejected, so there is nothing to roll up;
    the night's look at what is missing tells of them.
    """
    for incident in incidents_of(str(path)):
        if not incident.parameters.get("constant_positions"):
            yield Case((incident,))


@dataclass(frozen=True)
class Row:
    """A case, what it was called, and what it should be."""

    case: Case
    outcome: Outcome
    expected: str

    @property
    def right(self) -> bool:
        """Named and dated as it was planted."""
        if self.expected in (MIX, NOTHING):
            return self.outcome.named == self.expected
        return self.outcome.named == self.expected and self.outcome.start == self.case.week


def expected(case: Case) -> str:
    """What the first incident of a case should be called."""
    first = case.incidents[0]
    if first.kind == "mix_shift" and first.parameters.get("segment"):
        return UNKNOWN  # no field of the log names a segment
    if first.kind == "mix_shift" and not first.routes:
        return NOTHING  # all routes grow alike
    return EXPECTED[first.kind]


def tried(stable: Stable, cases: Iterable[Case]) -> Iterator[Row]:
    """Each case in turn, three weeks after the one in which it began."""
    scenario = stable.scenario
    end = (scenario.first_day + timedelta(weeks=scenario.weeks - 1)).date()
    for case in cases:
        last = min(end, case.week + timedelta(weeks=3))
        yield Row(case, judged(stable, case, last), expected(case))


def confusion(rows: Sequence[Row]) -> str:
    """Incidents down, causes across, as a Markdown table."""
    columns = [*(cause.code for cause in cause_table().causes), UNKNOWN, MIX, NOTHING]
    counts = Counter((row.case.incidents[0].kind, row.outcome.named) for row in rows)
    lines = [f"| incident | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for kind in dict.fromkeys(row.case.incidents[0].kind for row in rows):
        shown = [str(counts[kind, column] or "") for column in columns]
        lines.append(f"| {kind} | {' | '.join(shown)} |")
    return "\n".join(lines)


def told(row: Row) -> str:
    """One case in a line."""
    found = row.outcome
    also = f", then {', '.join(found.causes[1:])}" if found.causes[1:] else ""
    points = f" ({found.points[0]} points, {found.start})" if found.causes else ""
    verdict = "right" if row.right else "WRONG"
    return f"{verdict}: {row.case.name}: {found.named}{points}{also}"


def main() -> None:
    """Print every case as it is judged, then the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--requests", type=float, default=20_000, help="a week and route")
    asked.add_argument("--weeks", type=int, default=26)
    asked.add_argument(
        "--since",
        type=int,
        default=22,
        help="week of the incidents, from 0; six weeks later they are usual",
    )
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--incidents", type=Path, help="a TOML file of [[incidents]], each alone")
    options = asked.parse_args()
    scenario = standard(FIRST, options.weeks, requests=options.requests, seed=options.seed)
    since = FIRST + timedelta(weeks=options.since)
    cases = planted(scenario, since)
    if options.incidents:
        cases = of_file(options.incidents)
    rows = []
    for row in tried(Stable(scenario), cases):
        rows.append(row)
        print(told(row), flush=True)
    print(f"\n{confusion(rows)}\n\n{sum(row.right for row in rows)} of {len(rows)} right")


if __name__ == "__main__":
    main()
