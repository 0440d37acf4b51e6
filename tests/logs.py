"""Hypothesis strategies: small citation logs that hold every legal oddity of the record."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]

FIRST = datetime(2026, 11, 8, 20, tzinfo=UTC)  # Sunday; logs reach over three weeks
HOURS = 15 * 24
TEXTS = ("opening hours", "the price of a parcel", "the price of a parcel", "who may sign", "?!")
# Some of these differ in at most 25 bits, some in more, some only through a chain.
SIGNATURES = tuple(f"{bits:032x}" for bits in (0, 2**20 - 1, 2**25 - 1, 2**26 - 1, 2**45 - 1))
OUTCOMES = [...] * 9 + [None, "answered", "refused", "error", "cached"]
EXPOSURES = [...] * 14 + ["packed", "cited_only", "pruned"]
WAYS = ["flags", "flags", "list", "list", "markers", "flags list", "list markers", ""]
HASHES = tuple(f"{number:016x}" for number in range(3))


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A value, null, or (as `present` drops it) nothing."""
    return st.one_of(values, values, st.just(...), st.none())


def present(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value is not ...}


@st.composite
def chunk_lists(draw: st.DrawFn) -> list[Json]:
    """Zero to seven retrieved chunks: some unpacked, unranked, with holes, from two retrievals."""
    size = draw(st.sampled_from([0, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7]))
    ranks = draw(st.permutations(range(1, size + 3)))
    spots = draw(st.permutations(range(1, size + (3 if draw(st.booleans()) else 1))))
    retrievals = draw(st.sampled_from([(...,), (...,), (None, "dense"), ("dense", "sparse")]))
    named = draw(st.booleans())  # whether the prompt calls chunks by names of its own
    packs_all = draw(st.sampled_from([True, True, False]))
    print_of = draw(st.sampled_from([prints, texts, texts, signatures]))
    chunks = []
    for index in range(size):
        packed = packs_all or draw(st.booleans())
        chunks.append(
            present(
                {
                    "chunk_id": f"c{index}",
                    "rank": draw(st.sampled_from([ranks[index]] * 4 + [None, ...])),
                    "position": spots[index] if packed else draw(st.sampled_from([None, ...])),
                    "retrieval_id": draw(st.sampled_from(retrievals)),
                    "marker": spots[index] + 10 if named and packed else ...,
                    "doc_id": draw(st.sampled_from(["a", "b", "b", "c", None])),
                    "tokens": draw(st.sampled_from([0, 1, 9, 250, 251, 4000, None])),
                    **draw(print_of),
                }
            )
        )
    return chunks


texts = st.fixed_dictionaries({"text": st.sampled_from(TEXTS)})
signatures = st.fixed_dictionaries(
    {"signature": st.sampled_from(SIGNATURES)}, optional={"text_hash": st.sampled_from(HASHES)}
)
hashes = st.fixed_dictionaries({}, optional={"text_hash": st.sampled_from(HASHES)})
prints = st.one_of(texts, signatures, hashes)


@st.composite
def cited(draw: st.DrawFn, chunks: list[Json]) -> Json:
    """How an answer says what it cites: by flags, a list, markers, several, or none."""
    said: Json = {}
    ways = draw(st.sampled_from(WAYS))
    if "flags" in ways:
        for chunk in chunks:
            chunk |= present({"cited": draw(maybe(st.booleans()))})
    numbers = st.one_of(st.integers(1, 7), st.integers(0, 19))
    if "list" in ways:
        names = st.one_of(numbers, st.sampled_from(["c0", "c1", "c6", "nowhere"]))
        said["citations"] = draw(st.lists(names, max_size=5))
    if "markers" in ways:
        shown = draw(st.lists(numbers.filter(bool), max_size=4))
        said["answer"] = "So it is " + " and ".join(f"[{number}]" for number in shown)
    return said


@st.composite
def requests(draw: st.DrawFn, name: str) -> Json:
    chunks = draw(chunk_lists())
    moment = FIRST + timedelta(hours=draw(st.integers(0, HOURS)))
    labels = st.sampled_from(
        [["c0"], ["c1"], ["c2"], ["c0", "c2"], ["nowhere", "c1"], ["nowhere"], []]
    )
    version = maybe(st.sampled_from(["1", "2"]))
    return present(
        {
            "request_id": name,
            "requested_at": moment.isoformat(),
            "route": draw(maybe(st.sampled_from(["support", "</script>';--"]))),
            "model": draw(version),
            "release": draw(version),
            "index_version": draw(version),
            "unit_id": draw(maybe(st.sampled_from(["ada", "ben", "cleo"]))),
            "outcome": draw(st.sampled_from(OUTCOMES)),
            "exposure": draw(st.sampled_from(EXPOSURES)),
            "sample_weight": draw(maybe(st.sampled_from([0.001, 0.5, 3, 10.25]))),
            "prompt_tokens": draw(maybe(st.sampled_from([0, 251, 9000]))),
            "budget_tokens": draw(maybe(st.sampled_from([0, 250, 500]))),
            "expected_chunk_ids": draw(maybe(labels)),
            "correct": draw(maybe(st.booleans())),
            **draw(cited(chunks)),
            "chunks": chunks,
        }
    )


@st.composite
def judgements(draw: st.DrawFn, name: str) -> Json:
    moment = FIRST + timedelta(days=30, seconds=draw(st.integers(0, 10**6)))
    return present(
        {
            "request_id": name,
            "judged_at": moment.isoformat(),
            "correct": draw(maybe(st.booleans())),
            "expected_chunk_ids": draw(maybe(st.lists(st.sampled_from(["c0", "c3"]), max_size=2))),
        }
    )


@st.composite
def logs(draw: st.DrawFn, largest: int = 14) -> str:
    """A log as text: requests, judgements before and after them, revisions and repeated lines."""
    lines: list[Json] = []
    for number in range(draw(st.integers(1, largest))):
        record = draw(requests(f"q{number}"))
        lines.append(record)
        kind = draw(
            st.sampled_from(["plain"] * 6 + ["judged", "judged twice", "revised", "repeated"])
        )
        lines += draw(_FURTHER[kind](f"q{number}", record))
    return "".join(json.dumps(line) + "\n" for line in draw(st.permutations(lines)))


def _judged(name: str, times: int) -> st.SearchStrategy[list[Json]]:
    moments = st.lists(
        judgements(name), min_size=times, max_size=times, unique_by=lambda label: label["judged_at"]
    )
    return moments


_FURTHER: dict[str, Callable[[str, Json], st.SearchStrategy[list[Json]]]] = {
    "plain": lambda name, record: st.just([]),
    "judged": lambda name, record: _judged(name, 1),
    "judged twice": lambda name, record: _judged(name, 2),
    "revised": lambda name, record: requests(name).map(lambda new: [{**new, "revision": 2}]),
    "repeated": lambda name, record: st.just([record]),
}
