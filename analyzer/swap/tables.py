"""Runs as tables: what the weekly report shows of evaluations, and what programs read."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from analyzer import numbers
from analyzer.errors import UsageError
from analyzer.stats.swap_gate import Gate
from analyzer.swap.gating import changes, compare
from analyzer.swap.keeping import kept, whole
from analyzer.swap.outcomes import PLACES, Run, tokens_range
from analyzer.swap.scoring import Score, by_bucket, gaps_by_question, score

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

LEAST = 50  # questions of one prompt length that are shown apart

_RATE, _COUNT = pa.float64(), pa.int64()
PROFILES = pa.schema(
    [
        ("run", pa.string()),
        ("model", pa.string()),
        ("prompt_version", pa.string()),
        ("route", pa.string()),  # whose questions were asked; null: of no route
        ("asked_on", pa.date32()),
        ("judge", pa.string()),
        ("prompt_bucket", _COUNT),  # lower edge in context tokens; null: prompts of every length
        ("median_tokens", _COUNT),
        ("questions", _COUNT),  # answered at the start, in the middle and at the end
        ("incomplete", _COUNT),  # questions that were not
        *(
            field
            for place in PLACES
            for field in (
                (f"{place}_answered", _COUNT),
                (f"{place}_correct", _COUNT),
                (place, _RATE),
                (f"{place}_low", _RATE),
                (f"{place}_high", _RATE),
            )
        ),
        ("gap", _RATE),  # (start + end) / 2 - middle, a difference of rates
        ("low", _RATE),
        ("high", _RATE),
        ("needed", _COUNT),  # questions that show a gap of 5 points in 8 of 10 cases
    ]
)
GATE = pa.schema(
    [
        ("against", pa.string()),  # the model and prompt version that the gate compares with
        ("deeper", _RATE),  # by how much the gap is larger than theirs, on the same questions
        ("deeper_low", _RATE),  # one-sided 95 % bounds
        ("deeper_high", _RATE),
        ("gate", pa.string()),  # pass, fail or inconclusive; null: nothing to compare with
    ]
)
GATED = pa.schema(
    [
        ("of", pa.string()),  # gap, start, middle or end
        ("questions", _COUNT),  # that both answered everywhere
        ("old", _RATE),  # its gap, or its share of right answers with the chunk at that place
        ("new", _RATE),
        ("change", _RATE),  # new - old, a difference of rates
        ("low", _RATE),  # of the gap one-sided 95 % bounds; of places 95 % for the three together
        ("high", _RATE),
        ("fell", pa.bool_()),  # clearly, and by the margin at least; null for the gap
        ("gate", pa.string()),  # pass, fail or inconclusive: on the gap alone
    ]
)

_SHORT = pa.schema(
    [
        ("run", pa.string()),
        ("asked on", pa.date32()),
        ("model", pa.string()),
        ("prompt", pa.string()),
        ("route", pa.string()),
        ("questions", _COUNT),
        ("gap", pa.string()),
        ("95% interval", pa.string()),
        *((place, pa.string()) for place in PLACES),
    ]
)


def panel(con: Connection, week: date) -> pa.Table:
    """The last evaluation of each model, prompt version and route, asked before the week ended.

    One row for prompts of every length, and one for each length with 50 questions, where there
    are several. The gate compares with the latest earlier run of the same set.
    """
    runs = kept(con, before=week + timedelta(days=7))
    newest: dict[tuple[str, str, str | None], str] = {}
    for name, run in runs.items():
        newest.setdefault((run.model, run.prompt_version, run.route), name)
    rows = []
    for name in newest.values():
        run = whole(con, name, runs[name])
        first, *others = _rows(name, run)
        rows += [first | _gate(con, name, run, runs), *others]
    return pa.Table.from_pylist(rows, pa.schema([*PROFILES, *GATE]))


def profiles(run: Run) -> pa.Table:
    """One run in the columns of `PROFILES`."""
    return pa.Table.from_pylist(_rows("", run), PROFILES)


def every_run(con: Connection) -> pa.Table:
    """One row for each run that is kept, the latest first, in the columns of `PROFILES`."""
    rows = [_rows(name, whole(con, name, run))[0] for name, run in kept(con).items()]
    return pa.Table.from_pylist(rows, PROFILES)


def in_short(runs: pa.Table) -> pa.Table:
    """Of rows of `PROFILES` what people look for, in words: which run it is and what came of it."""
    return pa.Table.from_pylist([_short(row) for row in runs.to_pylist()], _SHORT)


def slots(run: Run) -> pa.Table:
    """One row a position of each K: asked, answered, right, and the share of the answered."""
    return pa.Table.from_pylist(
        [
            {
                "model": run.model,
                "k": slot.k,
                "position": slot.position,
                "asked": slot.asked,
                "answered": slot.answered,
                "correct": slot.correct,
                "accuracy": slot.correct / slot.answered if slot.answered else None,
            }
            for slot in score(run.outcomes).slots
        ],
        pa.schema(
            [
                ("model", pa.string()),
                *((name, _COUNT) for name in ("k", "position", "asked", "answered", "correct")),
                ("accuracy", _RATE),
            ]
        ),
    )


def _short(row: dict[str, Any]) -> dict[str, Any]:
    ends = numbers.bounds(row["low"], row["high"], numbers.points).replace(" points", "")
    return {
        "run": row["run"],
        "asked on": row["asked_on"],
        "model": row["model"],
        "prompt": row["prompt_version"],
        "route": row["route"],
        "questions": row["questions"],
        "gap": numbers.points(row["gap"]),
        "95% interval": ends,
        **{place: numbers.rate(row[place]) for place in PLACES},
    }


def _rows(name: str, run: Run) -> list[dict[str, Any]]:
    """A row for prompts of every length, and one for each length of several."""
    rows = [_row(name, run, score(run.outcomes)) | _tokens(run)]
    by_length = by_bucket(run.outcomes)
    for bucket, mine in by_length.items():
        if len(by_length) > 1 and bucket is not None:
            found = score(mine)
            if found.questions >= LEAST:
                rows.append(_row(name, run, found) | {"prompt_bucket": bucket})
    return rows


def _row(name: str, run: Run, found: Score) -> dict[str, Any]:
    row: dict[str, Any] = {
        "run": name,
        "model": run.model,
        "prompt_version": run.prompt_version,
        "route": run.route,
        "asked_on": run.asked_on,
        "judge": run.judge,
        "questions": found.questions,
        "incomplete": found.incomplete,
        "gap": found.gap,
        "low": found.low,
        "high": found.high,
        "needed": found.needed_80,
    }
    for at in found.places:
        row |= {f"{at.place}_answered": at.answered, f"{at.place}_correct": at.correct}
        row |= {at.place: at.rate, f"{at.place}_low": at.low, f"{at.place}_high": at.high}
    return row


def _tokens(run: Run) -> dict[str, Any]:
    found = tokens_range(run.outcomes)
    return {"median_tokens": found[1] if found else None}


def _gate(con: Connection, name: str, run: Run, runs: dict[str, Run]) -> dict[str, Any]:
    """Against the latest of the earlier runs that another model or prompt was asked the same in."""
    names = list(runs)
    for held in names[names.index(name) + 1 :]:
        old = runs[held]
        alike = (old.model, old.prompt_version) == (run.model, run.prompt_version)
        same = (old.question_set, old.judge) == (run.question_set, run.judge)
        if run.question_set is not None and same and not alike:
            return _decided(whole(con, held, old), run)
    return {}


def gated(decided: Gate, old: Run, new: Run, margin: float) -> pa.Table:
    """What `swap gate` found: a row for the gap, then one for each place."""
    before, after = (gaps_by_question(run.outcomes) for run in (old, new))
    both = before.keys() & after.keys()
    gaps = {
        name: sum(gap_of[question] for question in sorted(both)) / len(both)
        for name, gap_of in (("old", before), ("new", after))
    }
    told = {"questions": decided.questions, "gate": decided.decision}
    bounds = {"change": decided.deeper, "low": decided.low, "high": decided.high}
    rows = [told | gaps | bounds | {"of": "gap"}]
    rows += [
        told | asdict(change) | {"of": place, "change": change.new - change.old}
        for place, change in changes(old, new, margin).items()
    ]
    return pa.Table.from_pylist(rows, GATED)


def _decided(old: Run, new: Run) -> dict[str, Any]:
    try:
        found = compare(old, new)
    except UsageError:  # not one question that both answered everywhere
        return {}
    return {
        "against": f"{old.model}, prompt {old.prompt_version}",
        "deeper": found.deeper,
        "deeper_low": found.low,
        "deeper_high": found.high,
        "gate": found.decision,
    }
