"""A model that treats every place alike is never said to have a dip, whatever its traffic."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from loading.sites import Site
from test_real_nomiracl import converted
from validation.invented import Trap, answers, traps

from analyzer.measures.effect import effects
from analyzer.measures.effect_table import effect_table
from analyzer.measures.rows import Scope
from analyzer.store import reader

EVER = Scope(date(1970, 1, 1), date(2200, 1, 1))
RUNS = range(6)


@pytest.mark.parametrize("trap", traps(requests=2000.0), ids=lambda trap: trap.name)
def test_a_flat_model_is_refused_for_the_right_reason(trap: Trap) -> None:
    told = answers(trap, RUNS)
    assert told.verdicts.total() == len(RUNS)
    assert told.wrong(trap) == 0, told.verdicts
    # What is shown all the same holds 0; 95 % intervals of a handful of runs may miss it once.
    assert told.shown - told.holding <= 1, told.verdicts


@pytest.fixture(scope="module")
def answered(shared_data: Path) -> list[dict[str, Any]]:
    """250 real prompts of ten passages, each answered by three models with `[n]` markers."""
    source = shared_data / "nomiracl" / "relevant.en.test.jsonl"
    if not source.exists():
        pytest.skip("nomiracl is not beside this checkout (../shared/data/nomiracl)")
    lines = source.read_text(encoding="utf-8").splitlines()
    return [record for line in lines for record in converted(line)]


def test_answers_to_prompts_without_ranks_are_refused(
    answered: list[dict[str, Any]], tmp_path: Path
) -> None:
    [row] = effect_of(answered, tmp_path)
    assert row["verdict"] == "NO_POSITION_VARIATION"
    assert (row["middle_against_edge"], row["orderings"]) == (None, "unranked 100%")


def test_answers_to_prompts_whose_rank_is_their_position_are_refused(
    answered: list[dict[str, Any]], tmp_path: Path
) -> None:
    [row] = effect_of(list(map(_ranked, answered)), tmp_path)
    assert row["verdict"] == "NO_POSITION_VARIATION"
    assert (row["middle_against_edge"], row["orderings"]) == (None, "best_first 100%")
    assert row["lift"] < -0.4  # what a plain comparison of cited rates would have claimed


@pytest.mark.parametrize(("field", "other"), [("rank", "position"), ("position", "rank")])
def test_that_a_rank_or_a_position_was_assumed_is_the_reason_of_the_refusal(
    answered: list[dict[str, Any]], tmp_path: Path, field: str, other: str
) -> None:
    few = [_ranked(record) | {"origins": {field: "assumed"}} for record in answered[:30]]
    [row] = effect_of(few, tmp_path)
    assert row["verdict"] == "NO_POSITION_VARIATION"
    assert (row["middle_against_edge"], row["lift"], row["histogram"]) == (None, None, None)
    assert row["sentence"] == (
        f"The {field} of 30 of 30 answers with three or more packed chunks is assumed to be the "
        f"{other}, so the two cannot be separated; no dip is reported. Log the {field} of every "
        "packed chunk."
    )


def _ranked(record: dict[str, Any]) -> dict[str, Any]:
    return record | {"chunks": [each | {"rank": each["position"]} for each in record["chunks"]]}


def effect_of(records: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    site = Site(folder)
    site.load_log("nomiracl.jsonl", *records)
    with reader(site.store) as con:
        rows: list[dict[str, Any]] = effect_table(effects(con, EVER)).to_pylist()
        return rows
