"""What labels say about requests and chunks, as `queries/store/settle/labels.sql` settles it.

In synthetic traffic a request has at most one label, so nothing has to be decided between several.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from analyzer.facts import Facts
from analyzer.simulate import Scenario
from analyzer.simulate.arrays import Bools, Ints
from analyzer.simulate.generate import Traffic

_WEEK_MS = 7 * 86_400_000
_NONE = -1  # in place of the code of an expected chunk, or of right and wrong


def settled(made: Facts, period: Traffic, scenario: Scenario) -> tuple[pa.Table, pa.Table]:
    """The requests and chunks of a period with the columns that labels fill."""
    sound = made.requests["line"].to_numpy() - 1  # lines are counted from 1
    correct, code = (each[sound] for each in _told(period, scenario))
    number = np.full(len(period.k), _NONE)
    number[sound] = np.arange(len(sound))
    owner = number[period.chunks.request]
    kept = owner >= 0
    owner, named = owner[kept], code[owner[kept]]
    expected = (named >= 0) & (period.chunks.code[kept] == named)
    requests = _requests(made, correct, code >= 0, np.flatnonzero(expected), owner)
    chunks = made.chunks.append_column("expected", pa.array(expected, mask=named < 0))
    return requests, chunks


def _told(period: Traffic, scenario: Scenario) -> tuple[Ints, Ints]:
    """Of each request whether it was right and which chunk was expected, if told before the end."""
    judged = period.judged
    end = int(scenario.first_day.timestamp() * 1000) + scenario.weeks * _WEEK_MS
    told = judged.inline | (period.requested_ms[judged.row] + judged.delay_ms < end)
    correct, code = np.full((2, len(period.k)), _NONE)
    correct[judged.row[told]] = judged.correct[told]
    code[judged.row[told]] = judged.expected[told]
    return correct, code


def _requests(made: Facts, correct: Ints, known: Bools, rows: Ints, owner: Ints) -> pa.Table:
    """rows: the expected chunks; owner: the request of every chunk."""
    there = owner[rows]
    found = {
        "place": np.full(len(known), None, dtype=object),
        "outcome": np.where(known, "not_retrieved", None),
    }
    place = made.chunks["place"].take(rows).to_pylist()
    cited = made.chunks["cited"].take(rows).to_pylist()
    for request, where, used in zip(there.tolist(), place, cited, strict=True):
        found["place"][request] = where
        found["outcome"][request] = _fate(where, used)
    listed = made.requests["packed"].is_valid().to_numpy()
    columns = {
        "correct": pa.array(correct == 1, mask=correct == _NONE),
        "expected": pa.array(np.ones(len(known), np.int64), mask=~known),
        "expected_outcome": pa.array(np.where(listed, found["outcome"], None), pa.string()),
        "expected_place": pa.array(found["place"], pa.string()),
    }
    requests = made.requests
    for name, column in columns.items():
        requests = requests.append_column(name, column)
    return requests


def _fate(place: str | None, cited: bool | None) -> str:
    if place is None:
        return "cut"
    if cited is None:
        return "unknown_citation"
    return "cited" if cited else "uncited"
