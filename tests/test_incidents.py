"""Each incident of the simulator, alone in stable traffic: found, named, and dated to its week.

The short form: three routes, fourteen weeks, 2,000 requests a week and route. The long one is
`python -m tests.validation.incidents`.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as replace_field
from validation.incidents import (
    EXAMPLES,
    Case,
    Outcome,
    confusion,
    expected,
    judged,
    of_file,
    planted,
    told,
    tried,
)
from validation.striking import Stable

from analyzer.simulate import Incident, standard, with_incidents
from analyzer.simulate.incidents import KINDS
from analyzer.stats.panel import ALL_ROUTES
from analyzer.stats.settings import DriftSettings, EffectSettings
from analyzer.watch import alarms
from analyzer.watch.causes import explain
from analyzer.watch.grouping import grouped
from analyzer.watch.mixing import mix_line
from analyzer.watch.naming import monday_of

FIRST = datetime(2026, 5, 25, tzinfo=UTC)
WEEKS, STRUCK = 14, 11
SINCE = FIRST + timedelta(weeks=STRUCK)
LAST = (FIRST + timedelta(weeks=WEEKS - 1)).date()


@pytest.fixture(scope="module")
def stable() -> Stable:
    return Stable(standard(FIRST, WEEKS, requests=2000.0))


def happens(kind: str, *routes: str, **parameters: Any) -> Incident:
    return Incident(kind=kind, since=SINCE, routes=routes, parameters=parameters)


def found(stable: Stable, *incidents: Incident) -> Outcome:
    return judged(stable, Case(incidents), LAST)


@pytest.mark.parametrize(
    ("incident", "cause"),
    [
        (happens("reindex_copies", "support"), "old_copies"),
        (happens("reindex_copies", "docs", copies=0.1, documents=0.2), "old_copies"),
        (happens("top_k_30", "docs"), "packing"),
        (happens("top_k_30", "support", k=5), "packing"),
        (happens("ordering_switched", "docs"), "ordering"),
        (happens("ordering_switched", "code"), "ordering"),
        (happens("ordering_switched", "support", ordering="by_document"), "ordering"),
        (happens("dip_deepens", "docs"), "model"),
        (happens("dip_deepens", "support", factor=3.0), "model"),
        (happens("prompt_cut", "support"), "prompt_cut"),
        (happens("prompt_cut", "support", logged="kept"), "prompt_cut"),
        (happens("prompt_cut", "code"), "prompt_cut"),
        (happens("retriever_drift", "docs"), "retriever_drift"),
        (happens("retriever_drift", "code"), "retriever_drift"),
        (happens("logging_breaks", "docs"), "logging_broke"),
        (happens("logging_breaks", "support", missing=["unit_id"]), "logging_broke"),
        (happens("score_order", "docs"), "score_order"),
        (happens("markers_off_by_one", "code"), "markers_off_by_one"),
        (happens("markers_off_by_one", "support", shift=1), "markers_off_by_one"),
    ],
    ids=lambda each: each if isinstance(each, str) else f"{each.kind}-{each.routes[0]}",
)
def test_an_incident_is_found_named_and_dated(
    stable: Stable, incident: Incident, cause: str
) -> None:
    outcome = found(stable, incident)
    assert outcome.causes == [cause]
    assert outcome.routes == list(incident.routes)
    assert outcome.start == SINCE.date()
    assert outcome.mix is None


@pytest.mark.parametrize(
    ("kind", "route", "cause"),
    [
        ("reindex_copies", "support", "old_copies"),
        ("ordering_switched", "docs", "ordering"),
        ("markers_off_by_one", "docs", "markers_off_by_one"),
    ],
)
def test_what_begins_on_a_thursday_is_dated_to_its_week(
    stable: Stable, kind: str, route: str, cause: str
) -> None:
    """Less than half of the week's traffic comes after Wednesday."""
    thursday = Incident(kind=kind, since=SINCE + timedelta(days=3, hours=9), routes=(route,))
    for weeks in (0, 3):
        outcome = judged(stable, Case((thursday,)), SINCE.date() + timedelta(weeks=weeks))
        assert outcome.causes == [cause]
        assert outcome.start == SINCE.date()


def test_quiet_traffic_raises_nothing(stable: Stable) -> None:
    for week in range(WEEKS):
        monday = FIRST.date() + timedelta(weeks=week)
        assert alarms(stable.con, monday).open == []
        assert mix_line(stable.con, monday) is None


def test_a_switch_of_ordering_is_told_where_little_else_can_be() -> None:
    """150 requests a week are too few for every other measure."""
    all_routes = standard(FIRST, WEEKS - 3, requests=150.0)
    small = Stable(
        replace_field(all_routes, routes=[one for one in all_routes.routes if one.name == "code"])
    )
    week = SINCE - timedelta(weeks=1)
    for ordering in ("by_document", "best_last"):
        parameters = {"ordering": ordering}
        switch = Incident(kind="ordering_switched", since=week, parameters=parameters)
        with small.struck(switch) as con:
            told = alarms(con, week.date())
            known = explain(con, told)
            [finding] = grouped(told, known)
        measures = [one.measure for one in finding.episodes]
        assert measures == [f"ordering_{ordering}", "ordering_best_first"]
        assert (finding.cause.code, monday_of(finding.begun.week)) == ("ordering", week.date())
        words = known[finding.episodes[0].id].facts["ordering"].words
        assert "changed on 3 August" in words


def test_traffic_that_moves_between_routes_is_a_mix_line_and_no_alarm(stable: Stable) -> None:
    outcome = found(stable, happens("mix_shift", "docs"))
    assert outcome.causes == []
    assert outcome.mix is not None
    assert {each.route for each in outcome.mix.shifted} == {"docs", "support", "code"}
    assert outcome.mix.shifted[0].route == "docs"
    assert outcome.mix.split.is_mix()


def test_what_strikes_every_route_at_once_is_one_finding(stable: Stable) -> None:
    outcome = found(stable, happens("markers_off_by_one"))
    assert outcome.causes == ["markers_off_by_one"]
    assert sorted(outcome.routes) == ["code", "docs", "support"]


def test_the_dip_over_all_routes_has_the_cause_of_the_routes_that_make_it(
    stable: Stable,
) -> None:
    with stable.struck(happens("dip_deepens", factor=2.5)) as con:
        found = alarms(con, LAST)
        one = next(one for one in found.open if one.measure == "dip")
        row = replace(one, id="over-all", route=ALL_ROUTES)
        everywhere = replace(found, watched=replace(found.watched, episodes=(row,)))
        told = explain(con, everywhere)["over-all"]
    assert told.cause.code == "model"
    assert told.route in ("docs", "support")  # they tell a dip, and the label is new on all


def test_two_causes_of_one_week_are_two_findings(stable: Stable) -> None:
    outcome = found(
        stable, happens("reindex_copies", "support"), happens("ordering_switched", "support")
    )
    assert outcome.causes == ["old_copies", "ordering"]


def test_what_no_field_names_stays_unknown(stable: Stable) -> None:
    """More of the askers whose questions are harder: every fact of the table stands still."""
    outcome = found(stable, happens("mix_shift", "code", segment="writing", factor=8.0))
    assert outcome.causes == ["unknown"]


def test_an_ordering_is_told_apart_from_the_model_behind_it(stable: Stable) -> None:
    switch = happens("ordering_switched", "docs")
    assert {each for _, each in left_for_the_model(stable, switch)} == {True}
    both = left_for_the_model(stable, switch, happens("dip_deepens", "docs", factor=3.0))
    assert dict(both)["position_start"] is False


def left_for_the_model(stable: Stable, *incidents: Incident) -> list[tuple[str, bool]]:
    """Of each position share, whether the ordering explains its change."""
    with stable.struck(*incidents) as con:
        told = explain(con, alarms(con, LAST)).values()
    return [
        (each.measure, each.layout.explains(each.measure.removeprefix("position_"), 0.03))
        for each in told
        if each.layout is not None
    ]


def test_where_rank_and_position_were_one_nothing_is_separated(stable: Stable) -> None:
    with stable.struck(happens("ordering_switched", "code")) as con:
        told = explain(con, alarms(con, LAST)).values()
    places = [each for each in told if each.measure.startswith("position_")]
    assert places
    for each in places:
        assert each.layout is not None
        assert each.layout.layout is None
        assert "not separable" in each.cause.speaks_against[-1]


def test_a_later_change_is_held_against_the_weeks_since_the_first(stable: Stable) -> None:
    """Near-copies since the first week must not speak for a switch two weeks later."""
    later = Incident(
        kind="ordering_switched", since=SINCE + timedelta(weeks=2), routes=("support",)
    )
    with stable.struck(happens("reindex_copies", "support"), later) as con:
        told = explain(con, alarms(con, LAST))
    switch = [each for each in told.values() if each.cause.code == "ordering"]
    assert switch
    assert {each.facts["near_copies"].state for each in switch} == {"same"}


def test_new_labels_and_orderings_stand_beside_the_cause(stable: Stable) -> None:
    with stable.struck(happens("dip_deepens", "docs")) as con:
        told = next(iter(explain(con, alarms(con, LAST)).values()))
    assert [(each.kind, each.label, each.first_day) for each in told.labels] == [
        ("model", "model-b", SINCE.date()),
        ("release", "r1-model-b", SINCE.date()),
    ]
    assert told.orderings_before.keys() == {"edges_first", "best_first", "best_last"}
    assert told.orderings_since == pytest.approx(told.orderings_before, abs=0.03)


def test_causes_are_weighed_by_the_thresholds_in_force(stable: Stable) -> None:
    short = DriftSettings(baseline_weeks=8)
    with stable.struck(happens("dip_deepens", "docs")) as con:
        usual = explain(con, alarms(con, LAST))
        told = explain(con, alarms(con, LAST, settings=short), EffectSettings(weak_se=0.0))
    first = next(iter(told))
    assert usual[first].facts["middle"].state == "down"
    assert told[first].facts["middle"].state == "unknown"  # no week is precise enough now
    before, fewer = (found[first].facts["k"].words for found in (usual, told))
    assert before != fewer  # eleven weeks before the start, and eight


def test_explaining_again_says_the_same(stable: Stable) -> None:
    with stable.struck(happens("prompt_cut", "docs")) as con:
        first = explain(con, alarms(con, LAST))
        assert explain(con, alarms(con, LAST)) == first


def test_incidents_of_a_file_are_tried_one_by_one(stable: Stable, tmp_path: Path) -> None:
    file = tmp_path / "incidents.toml"
    file.write_text(
        """
        [[incidents]]
        kind = "top_k_30"
        since = 2026-08-10
        routes = ["support"]
        parameters = { k = 14 }

        [[incidents]]
        kind = "mix_shift"
        since = 2026-08-10
        routes = ["code"]
        parameters = { segment = "writing", factor = 8.0 }
        """
    )
    rows = list(tried(stable, of_file(file)))
    assert [(row.outcome.named, row.right) for row in rows] == [
        ("packing", True),
        ("unknown", True),
    ]
    assert "| top_k_30 |" in confusion(rows)
    assert told(rows[0]).startswith("right: top_k_30 on support: packing (10 points, 2026-08-10)")


def test_the_example_of_a_file_can_be_planted_and_names_every_parameter() -> None:
    world = standard(FIRST, 26, requests=1.0)
    cases = list(of_file(EXAMPLES))
    assert len(cases) >= 9
    for case in cases:
        with_incidents(world, case.incidents)
        assert expected(case)
    told = EXAMPLES.read_text(encoding="utf-8")
    for kind, change in KINDS.items():
        described = told[told.index(f"# {kind} ") :].splitlines()
        for name in list(inspect.signature(change).parameters)[1:]:
            assert name in described[0] + described[1], f"{name} of {kind}"


def test_every_incident_can_be_planted_somewhere() -> None:
    cases = list(planted(standard(FIRST, WEEKS, requests=1.0), SINCE))
    kinds = {case.incidents[0].kind for case in cases}
    assert kinds >= {"reindex_copies", "score_order", "markers_off_by_one", "mix_shift"}
    told = {(case.incidents[0].kind, case.incidents[0].routes) for case in cases}
    # Without a reranker there is no first-stage order to fall back to; with one ordering for
    # everyone rank and position are one.
    assert ("score_order", ("code",)) not in told
    assert ("dip_deepens", ("code",)) not in told
    assert ("dip_deepens", ("docs",)) in told
