"""The rollups, counted again the slow way from the rows of `requests` and `chunks`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Any

Row = dict[str, Any]
Key = tuple[Any, ...]
Counts = dict[Key, tuple[int, ...]]

SCOPE = ("day", "route", "model", "release")
STRATUM = (*SCOPE, "ordering_seen", "k", "packed_rank")


def key(row: Row, names: Iterable[str]) -> Key:
    return tuple(row[name] for name in names)


def summed(entries: Iterable[tuple[Key, tuple[int, ...]]]) -> Counts:
    """Counts added up by key."""
    total: Counts = {}
    for name, numbers in entries:
        held = total.get(name, (0,) * len(numbers))
        total[name] = tuple(map(sum, zip(held, numbers, strict=True)))
    return total


def cells(requests: list[Row], chunks: list[Row]) -> Counts:
    """packed, cited, expected, judged, correct by stratum, place, bucket and group."""
    by_id = {request["request_id"]: request for request in requests}

    def entries() -> Iterator[tuple[Key, tuple[int, ...]]]:
        for chunk in chunks:
            if chunk["position"] is None or chunk["outcome"] != "answered":
                continue
            request = by_id[chunk["request_id"]]
            alone = request["expected_place"] not in (None, "several")
            holds = bool(chunk["expected"]) and alone
            counts = (
                chunk["cited"] is not None,
                chunk["cited"] is True,
                holds,
                holds and request["correct"] is not None,
                holds and request["correct"] is True,
            )
            names = (*STRATUM, "place", "prompt_bucket", "unit_group")
            yield key(chunk, names), tuple(map(int, counts))

    return summed(entries())


def cells_by_position(requests: list[Row], chunks: list[Row]) -> Counts:
    """packed, cited by stratum, exact position and group, where citations are known."""
    return summed(
        (key(chunk, (*STRATUM, "position", "unit_group")), (1, int(chunk["cited"])))
        for chunk in chunks
        if chunk["position"] is not None and chunk["cited"] is not None
    )


def ranks(requests: list[Row], chunks: list[Row]) -> Counts:
    """retrieved, packed, cited by retrieved rank and group, where citations are known."""
    return summed(
        (
            key(chunk, (*SCOPE, "rank", "unit_group")),
            (1, int(chunk["position"] is not None), int(chunk["cited"] is True)),
        )
        for chunk in chunks
        if chunk["citations_known"] and chunk["rank"] is not None
    )


def units(requests: list[Row], chunks: list[Row]) -> Counts:
    """The 40 smallest unit hashes of each day and scope."""
    seen: dict[Key, set[int]] = defaultdict(set)
    for request in requests:
        seen[key(request, SCOPE)].add(request["unit_hash"])
    return {(*scope, unit): () for scope, held in seen.items() for unit in sorted(held)[:40]}


def lengths(requests: list[Row], chunks: list[Row]) -> Counts:
    """Requests with a context by its bin."""
    return summed(
        (key(request, (*SCOPE, "unit_group", "context_bin")), (1,))
        for request in requests
        if request["context_bin"] is not None and request["packed"]
    )


def documents(requests: list[Row], chunks: list[Row]) -> Counts:
    """packed, cited, copies, tokens of copies by week, route, document and index version."""
    return summed(
        (
            (
                chunk["day"] - timedelta(days=chunk["day"].weekday()),
                *key(chunk, ("route", "doc_id", "index_version")),
            ),
            (
                1,
                int(chunk["cited"] is True),
                int(chunk["copy_of"] is not None),
                (chunk["tokens"] or 0) if chunk["copy_of"] is not None else 0,
            ),
        )
        for chunk in chunks
        if chunk["position"] is not None and chunk["doc_id"] is not None
    )


def days(requests: list[Row], chunks: list[Row]) -> Counts:
    """Every count of `days`, in the order of its columns, by its dimensions and group."""
    names = (*SCOPE, "prompt_version", "index_version", "ordering_seen", "unit_group")
    return summed(
        (key(request, names), tuple(int(count(request)) for count in DAYS.values()))
        for request in requests
    )


def _value(name: str) -> Callable[[Row], int]:
    return lambda row: row[name] or 0


def _known(name: str) -> Callable[[Row], bool]:
    return lambda row: row[name] is not None


def _weighted(name: str) -> Callable[[Row], int]:
    return lambda row: (row[name] or 0) * row["weight"]


def _outcome(name: str) -> Callable[[Row], bool]:
    return lambda row: row["outcome"] == name


def _answered(test: Callable[[Row], Any]) -> Callable[[Row], bool]:
    return lambda row: row["outcome"] == "answered" and bool(test(row))


def _fate(name: str) -> Callable[[Row], bool]:
    return _answered(lambda row: row["expected_outcome"] == name)


def _wrong(test: Callable[[Row], bool]) -> Callable[[Row], bool]:
    return lambda row: test(row) and row["correct"] is False


def _of_known(name: str) -> Callable[[Row], int]:
    return lambda row: row[name] if row["cited"] is not None else 0


def _unpacked(row: Row) -> bool:
    return row["expected_outcome"] in ("not_retrieved", "cut")


_FATES = ("not_retrieved", "cut", "uncited", "cited", "unknown_citation")
_labelled = _answered(_known("expected_outcome"))

DAYS: dict[str, Callable[[Row], Any]] = {
    "requests": lambda row: 1,
    "weight": _value("weight"),
    "answered": _outcome("answered"),
    "refused": _outcome("refused"),
    "errors": _outcome("error"),
    "cached": _outcome("cached"),
    "unlisted": _answered(lambda row: row["exposure"] != "packed"),
    "without_context": _answered(lambda row: row["packed"] == 0),
    "citations_known": _known("cited"),
    "citation_free": lambda row: row["cited"] == 0,
    "known_retrieved": _of_known("retrieved"),
    "known_packed": _of_known("packed"),
    "cited": _value("cited"),
    "citations": _value("citations"),
    "stray": _value("stray"),
    "retrieved": _value("retrieved"),
    "packed": _value("packed"),
    "holes": _value("holes"),
    "context_known": _known("context_tokens"),
    "context_tokens": _value("context_tokens"),
    "weighted_context_tokens": _weighted("context_tokens"),
    "budgeted": _known("at_budget"),
    "at_budget": _value("at_budget"),
    "prompt_compared": _known("prompt_cut"),
    "prompt_cut": _value("prompt_cut"),
    "compared": _value("compared"),
    "involved": _value("involved"),
    "redundant": _value("redundant"),
    "redundant_exact": _value("redundant_exact"),
    "redundant_tokens": _value("redundant_tokens"),
    "weighted_redundant_tokens": _weighted("redundant_tokens"),
    "documented": _value("documented"),
    "largest_document": _value("largest_document"),
    "judged": _answered(_known("correct")),
    "correct": _answered(_value("correct")),
    "expected_known": _labelled,
    **{f"expected_{fate}": _fate(fate) for fate in _FATES},
    "wrong_expected_known": _wrong(_labelled),
    **{f"wrong_expected_{fate}": _wrong(_fate(fate)) for fate in _FATES},
    "unpacked_judged": _answered(lambda row: _unpacked(row) and row["correct"] is not None),
    "unpacked_correct": _answered(lambda row: _unpacked(row) and row["correct"]),
    "missing_unit": lambda row: not row["unit_logged"],
    "missing_prompt_tokens": lambda row: row["prompt_tokens"] is None,
    "missing_citations": _answered(lambda row: row["packed"] and row["cited"] is None),
    "missing_rank": _value("missing_rank"),
    "missing_tokens": _value("missing_tokens"),
    "missing_document": _value("missing_document"),
    "missing_text": _value("missing_text"),
    **{
        f"{name}_not_logged": lambda row, name=name: row[f"{name}_origin"] != "logged"
        for name in ("rank", "position", "tokens", "cited", "requested_at")
    },
}

KEYS = {
    "cells": 10,
    "cells_by_position": 9,
    "ranks": 6,
    "units": 5,
    "days": 8,
    "lengths": 6,
    "documents": 4,
}


def table(rows: list[Key], width: int) -> Counts:
    """Rows of a rollup as counts by key; a key may stand once."""
    names = Counter(row[:width] for row in rows)
    assert not names or max(names.values()) == 1, names.most_common(1)
    return {row[:width]: row[width:] for row in rows}
