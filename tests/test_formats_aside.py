"""Incomplete traces are kept aside until their other spans come in a later load."""

from __future__ import annotations

from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from loading.sites import NOW, Site
from test_formats_traces import TEXTS, span, spans, written

from analyzer import markers
from analyzer.errors import CitelogError, UsageError
from analyzer.sources import Incomplete, aside, asked, open_source
from analyzer.sources.aside import Aside
from analyzer.text import fingerprint

Json = dict[str, Any]
KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
KEEP, REFUSE = Incomplete(), Incomplete("refuse")
ENCRYPT = Incomplete("encrypt", key=KEY)
SAME = ("requests", "chunks", "texts", "cells", "cells_by_position", "ranks", "units", "days")
SAME = (*SAME, "lengths", "documents")


def facts(site: Site) -> dict[str, list[tuple[Any, ...]]]:
    """Every fact and every count; hashes of records differ between a text and its fingerprint."""
    found = {}
    for table in SAME:
        left = "EXCLUDE (record_hash)" if table in ("requests", "chunks") else ""
        found[table] = sorted(site.rows(f"SELECT * {left} FROM {table}"), key=repr)
    return found


def loaded(folder: Path, runs: list[list[list[Json]]], how: Incomplete) -> Site:
    """A store after runs, each with some files of spans."""
    folder.mkdir()
    site = Site(folder)
    for at, files in enumerate(runs):
        paths = [written(folder / f"{at}-{n}.jsonl", each) for n, each in enumerate(files)]
        site.load(*paths, incomplete=how)
    return site


def reranked(number: int) -> list[Json]:
    """A trace with a reranker, which turns the order of the retriever round."""
    retrieve, model, root = spans(number, "[1][3]")
    documents = {
        f"reranker.output_documents.{at}.document.{name}": value
        for at, text in enumerate(reversed(TEXTS))
        for name, value in (("id", f"c{2 - at}"), ("content", text), ("score", 0.9 - at / 10))
    }
    rerank = span(retrieve["traceId"], "order", "query", "RERANKER", **documents)
    return [retrieve, rerank, model, root]


def test_the_root_comes_a_load_later(tmp_path: Path) -> None:
    retrieve, model, root = spans(1)
    site = loaded(tmp_path / "s", [[[retrieve, model]], [[root]]], KEEP)
    assert facts(site) == facts(loaded(tmp_path / "o", [[[retrieve, model, root]]], KEEP))


def test_the_prompt_comes_a_load_later(tmp_path: Path) -> None:
    retrieve, model, root = spans(1)
    site = loaded(tmp_path / "s", [[[retrieve]], [[model, root]]], KEEP)
    assert facts(site) == facts(loaded(tmp_path / "o", [[[retrieve, model, root]]], KEEP))
    assert site.rows("SELECT position_origin, cited FROM requests") == [("derived", 1)]


EVERY = [*reranked(1), *spans(2), *spans(3, "Nothing.")]


@st.composite
def splits(draw: st.DrawFn) -> list[list[list[Json]]]:
    """The spans of three traces in any order, over some files of some loads."""
    order = draw(st.permutations(EVERY))
    ends = sorted(draw(st.sets(st.integers(1, len(order) - 1), max_size=5)))
    parts = [order[start:end] for start, end in zip([0, *ends], [*ends, len(order)], strict=True)]
    # A file that seems to hold all of a trace settles it: nothing says that a reranker ran too.
    assume(not any(map(seems_complete, parts)))
    runs: list[list[list[Json]]] = [[]]
    for part in parts:
        if runs[-1] and draw(st.booleans()):
            runs.append([])
        runs[-1].append(part)
    return runs


def seems_complete(part: list[Json]) -> bool:
    """Whether a file holds all of the reranked trace but its reranker."""
    retrieve, rerank, *others = EVERY[:4]
    return rerank not in part and all(each in part for each in (retrieve, *others))


def records_of(folder: Path, runs: list[list[list[Json]]], how: Incomplete) -> dict[str, Json]:
    """By trace the record that counts after loads that are read without a store."""
    found: dict[str, Json] = {}
    for at, files in enumerate(runs):
        paths = [written(folder / f"{at}-{n}.jsonl", each) for n, each in enumerate(files)]
        asking = asked(paths)
        with closing(Aside(folder / "s.duckdb", how, date(2026, 12, 1))) as asking.aside:
            for path in paths:
                with open_source(path, asking=asking) as source, asking.kept_aside(path.stem):
                    for record in source.records():
                        known = found.get(record.fields["request_id"], {"revision": 0})
                        if record.fields["revision"] > known["revision"]:
                            found[record.fields["request_id"]] = record.fields
            asking.aside.publish([path.stem for path in paths])
    return {name: without_text(record) for name, record in found.items()}


def without_text(record: Json) -> Json:
    """A record with fingerprints for its texts, and markers for its answer."""
    chunks = []
    for chunk in record["chunks"]:
        told = {name: value for name, value in chunk.items() if name != "text"}
        if "text" in chunk:
            made = fingerprint(chunk["text"])
            assert made
            told |= {"text_hash": made.text_hash, "signature": made.signature}
        chunks.append(told)
    answer = record.get("answer")
    cited = None if answer is None else markers.read(answer)
    return {**record, "answer": cited, "chunks": chunks}


def test_any_split_over_loads_and_any_order_makes_the_requests_of_one_load(
    tmp_path: Path,
) -> None:
    whole = records_of(tmp_path, [[EVERY]], KEEP)
    assert len(whole) == 3

    @settings(max_examples=60, deadline=None)
    @given(splits(), st.booleans())
    def holds(runs: list[list[list[Json]]], sealed: bool) -> None:
        with TemporaryDirectory(dir=tmp_path) as folder:
            found = records_of(Path(folder), runs, ENCRYPT if sealed else KEEP)
        if sealed:
            assert found == whole
        for name, record in found.items():
            lacks = record["origins"]["position"] == "assumed"
            assert lacks or record == whole[name]

    holds()
