"""Incomplete traces are kept aside until their other spans come in a later load."""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loading.sites import NOW, Site
from test_formats_traces import TEXTS, lines, span, spans, written

from analyzer.errors import CitelogError, UsageError
from analyzer.sources import Incomplete, aside

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
