"""The teaching lab: 300 questions whose answer is one chunk among twenty, and four situations."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from simulated import MONDAY
from teaching_lab import DECLARED, Accuracies, declared, holds, neighbours, together
from validation.facts import fill
from validation.stores import empty

from analyzer import query
from analyzer.measures.effect import RouteEffect, effects
from analyzer.measures.rows import week_of
from analyzer.simulate import Incident, Route, Scenario
from analyzer.simulate.traits import Documents, Judging, Spread, TopK

FOUND = DECLARED["found"]


@pytest.fixture(scope="module")
def means() -> Accuracies:
    return together(declared(), DECLARED["replication"]["labs"])[0]


class TestOrderings:
    """A short form of what `teaching_lab.toml` fixes, and the figures that it found."""

    def test_edges_first_stands_above_best_first_and_that_above_source_order(
        self, means: Accuracies
    ) -> None:
        assert holds(means.steps)
        assert means.steps[0] == pytest.approx(2, abs=1.5)
        assert means.steps[1] == pytest.approx(7, abs=1.5)

    def test_the_shares_are_those_that_were_published(self, means: Accuracies) -> None:
        right = [100 * share for share in (means.source, means.best, means.edges)]
        assert right == pytest.approx([68, 75, 77], abs=1.5)

    def test_what_was_found_is_written_down(self, means: Accuracies) -> None:
        right = [100 * share for share in (means.source, means.best, means.edges)]
        assert right == pytest.approx(list(FOUND["right"].values()), abs=0.05)
        told = [FOUND["edges_first_above_best_first"], FOUND["best_first_above_source_order"]]
        assert list(means.steps) == pytest.approx(told, abs=0.05)

    def test_other_scores_need_not_agree_and_that_is_written_down_too(self) -> None:
        around = [together(lab, DECLARED["neighbours"]["labs"])[0].steps for lab in neighbours()]
        assert len(around) == FOUND["neighbours"]
        in_order = sum(min(steps) > 0 for steps in around)
        assert in_order == pytest.approx(FOUND["neighbours_in_that_order"], abs=1)
        held = sum(map(holds, around))
        assert held == pytest.approx(FOUND["neighbours_that_hold_it"], abs=3)

    def test_in_source_order_the_middle_costs_15_points(self, means: Accuracies) -> None:
        lab = declared()
        unread = lab.edge - lab.penalty * lab.hard_negatives - means.source
        assert 100 * unread == pytest.approx(15, abs=1.5)

    def test_a_flat_reader_gains_nothing_by_order(self) -> None:
        lab = declared()
        ranks = lab.answer_ranks(np.random.default_rng(0))
        assert (lab.read(lab.laid(ranks, "edges_first"), dip=0.0) == lab.edge).all()


@dataclass(frozen=True)
class Signals:
    """What the analyzer makes of a week of the lab."""

    effect: RouteEffect
    involved: float  # share of packed chunks with a near-copy beside them
    tokens: float  # p50 of context tokens
    cut: float  # share of labelled requests whose answer chunk was retrieved and not packed
    log2_rank: float  # mean, of cited chunks

    @property
    def log_dip(self) -> tuple[float, float]:
        """log RR of middle against edge, and its standard error."""
        found = self.effect.effect.log_ratio
        assert found is not None
        assert found.value is not None
        assert found.se is not None
        return found.value, found.se


def lab(requests: float = 300.0, **traits: object) -> Route:
    """Eight of twenty candidates, half of the prompts shuffled on purpose, every answer judged."""
    usual: dict[str, object] = {
        "requests": requests,
        "k": TopK(median=8.0, spread=0.0, least=8, most=8),
        "fetched": 20,
        "orderings": {"best_first": 1.0},
        "explored": 0.5,
        "documents": Documents(count=199, chunks=5, tokens=Spread(median=400.0, spread=0.3)),
        "judging": Judging(share=1.0, inline=1.0),
    }
    return Route(name="lab", **(usual | traits))  # type: ignore[arg-type]


def seen(route: Route, *incidents: Incident) -> Signals:
    """A week in which these incidents hold from its first minute."""
    con = empty()
    fill(con, Scenario(first_day=MONDAY, weeks=1, seed=4, routes=(route,), incidents=incidents))
    week = {"week": MONDAY.date(), "route": "lab"}
    [copies] = query.ask(con, "near_copies", **week, weeks=1).to_pylist()
    [length] = query.ask(con, "context_tokens", **week, weeks=1).to_pylist()
    ranks = query.ask(con, "weekly_measures", **week, weeks=1).to_pylist()
    fates = query.ask(con, "expected_funnel", **week).to_pylist()
    told = Signals(
        effect=effects(con, week_of(MONDAY.date()))["lab"],
        involved=copies["involved_rate"],
        tokens=length["p50"],
        cut=next(r["share"] for r in fates if (r["judged_as"], r["outcome"]) == ("all", "cut")),
        log2_rank=next(r["value"] for r in ranks if r["measure"] == "mean_log2_cited_rank"),
    )
    con.close()
    return told


def happens(kind: str, **parameters: float | str) -> Incident:
    return Incident(kind=kind, since=MONDAY, parameters=dict(parameters))


@pytest.fixture(scope="module")
def calm() -> Signals:
    return seen(lab())


class TestSituations:
    def test_a_calm_week_shows_none_of_them(self, calm: Signals) -> None:
        assert set(calm.effect.orderings) == {"best_first", "explored"}
        assert calm.involved < 0.05
        assert 2800 < calm.tokens < 3700

    def test_source_order_is_recognised_and_nothing_else_moves(self, calm: Signals) -> None:
        found = seen(lab(orderings={"source_order": 1.0}))
        assert 0.35 < found.effect.orderings["source_order"] < 0.65
        assert found.involved == pytest.approx(calm.involved, abs=0.02)
        assert found.tokens == pytest.approx(calm.tokens, rel=0.03)
        alone = seen(lab(orderings={"source_order": 1.0}, explored=0.0))
        assert alone.effect.effect.verdict.code == "CONTENT_ORDERED"

    def test_a_recrawl_fills_prompts_with_copies_and_cuts_answers(self, calm: Signals) -> None:
        found = seen(lab(), happens("reindex_copies"))
        assert found.involved > calm.involved + 0.2
        assert found.cut > calm.cut + 0.05
        assert found.tokens == pytest.approx(calm.tokens, rel=0.05)
        assert "source_order" not in found.effect.orderings

    def test_top_k_30_makes_prompts_long_and_cuts_no_answer(self, calm: Signals) -> None:
        found = seen(lab(), happens("top_k_30"))
        assert found.tokens > 3 * calm.tokens
        assert found.cut < calm.cut / 2
        assert found.involved < 0.05

    def test_a_worse_retriever_and_a_cheaper_model_are_two_things(self) -> None:
        before = seen(lab(1500.0))
        drifted, deeper = happens("retriever_drift", ranks=12.0), happens("dip_deepens", factor=3.0)
        both, rank, dip = (
            seen(lab(1500.0), *chosen) for chosen in ((drifted, deeper), (drifted,), (deeper,))
        )
        for moved in (both, rank):
            assert moved.log2_rank > before.log2_rank + 0.1
        assert dip.log2_rank == pytest.approx(before.log2_rank, abs=0.1)
        for moved in (both, dip):
            assert self.deeper(before, moved) > 2.5
        assert self.deeper(before, rank) < 2.5
        for moved in (both, rank, dip):
            assert moved.involved == pytest.approx(before.involved, abs=0.02)
            assert moved.tokens == pytest.approx(before.tokens, rel=0.03)

    @staticmethod
    def deeper(before: Signals, after: Signals) -> float:
        """By how many standard errors the dip is deeper."""
        (old, old_se), (new, new_se) = before.log_dip, after.log_dip
        return (old - new) / math.hypot(old_se, new_se)
