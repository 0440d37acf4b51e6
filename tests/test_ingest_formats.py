"""One log in four formats makes the same facts; a table that breaks off is left out by name."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from loading.records import Json, label, lines, packed, request
from loading.sites import FACTS, ROLLUPS, Site, counters


def records() -> list[Json]:
    """Requests with and without what is optional, and no two rows of one request apart."""
    full = [
        {**chunk, "doc_id": "d", "tokens": 7, "score": 0.5, "cited": place == 1}
        for place, chunk in enumerate(packed(2, 1, 3))
    ]
    return [
        request("full", *full, route="a", prompt_tokens=900, correct=True),
        request("cut", {"rank": 1, "position": 1, "cited": False}, {"rank": 2}, outcome="refused"),
        request("revised", {"rank": 1, "position": 3}, revision=2),
    ]


def as_rows(log: list[Json]) -> list[Json]:
    """One row a chunk, the request's fields on each of them."""
    return [
        {**{name: value for name, value in record.items() if name != "chunks"}, **chunk}
        for record in log
        for chunk in record["chunks"]
    ]


def jsonl(path: Path, log: list[Json]) -> None:
    path.write_text(lines(log), encoding="utf-8")


def packed_jsonl(path: Path, log: list[Json]) -> None:
    path.write_bytes(gzip.compress(lines(log).encode()))


def nested_parquet(path: Path, log: list[Json]) -> None:
    names = dict.fromkeys(name for record in log for name in record)
    pq.write_table(pa.Table.from_pylist(log, _schema(log, names)), path)


def _schema(log: list[Json], names: dict[str, None]) -> pa.Schema:
    whole = pa.Table.from_pylist([dict.fromkeys(names) | record for record in log])
    return whole.schema


def flat_parquet(path: Path, log: list[Json]) -> None:
    rows = as_rows(log)
    names = dict.fromkeys(name for row in rows for name in row)
    pq.write_table(pa.Table.from_pylist([dict.fromkeys(names) | row for row in rows]), path)


def flat_csv(path: Path, log: list[Json]) -> None:
    rows = as_rows(log)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


FORMATS: list[tuple[str, Callable[[Path, list[Json]], None]]] = [
    ("log.jsonl.gz", packed_jsonl),
    ("nested.parquet", nested_parquet),
    ("flat.parquet", flat_parquet),
    ("flat.csv", flat_csv),
]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.mark.parametrize(("name", "write"), FORMATS, ids=[name for name, _ in FORMATS])
def test_every_format_makes_the_facts_of_json_lines(
    site: Site, name: str, write: Callable[[Path, list[Json]], None]
) -> None:
    plain = site.folder / "log.jsonl"
    jsonl(plain, records())
    other = Site(site.folder / "other")
    other.folder.mkdir()
    write(other.folder / name, records())
    [batch] = other.load(other.folder / name)
    site.load(plain)
    assert counters(batch) == (3, 3, 0, 0, 0)
    assert other.contents((*FACTS, *ROLLUPS)) == site.contents((*FACTS, *ROLLUPS))


def test_one_log_in_two_formats_is_counted_once(site: Site) -> None:
    jsonl(site.folder / "log.jsonl", records())
    flat_parquet(site.folder / "flat.parquet", records())
    site.load(site.folder / "log.jsonl", site.folder / "flat.parquet")
    assert site.rows("SELECT sum(loaded)::INT, sum(duplicate)::INT FROM batches") == [(3, 3)]


def test_a_table_that_breaks_off_brings_nothing_and_the_others_go_in(site: Site) -> None:
    broken = site.folder / "m.csv"
    flat_csv(broken, records())
    broken.write_text(broken.read_text() + 'x,"a quote"that does not end\n')
    good = [site.log(f"{name}.jsonl", request(name), label(name)) for name in ("a", "z")]
    batches = site.load(good[0], broken, good[1])
    assert [batch.state for batch in batches] == ["loaded", "unreadable", "loaded"]
    assert str(broken) in str(batches[1].note)
    assert site.rows("SELECT count(*) FROM requests") == [(2,)]
    assert site.rows("SELECT count(*) FROM memberships") == [(2,)]


def test_progress_goes_from_the_first_bytes_to_the_last(site: Site) -> None:
    files = [site.log(f"{name}.jsonl", *(request(f"{name}{n}") for n in range(9))) for name in "ab"]
    told: list[tuple[str, int, int]] = []
    site.load(*files, progress=lambda name, done, size: told.append((name, done, size)))
    for file in files:
        steps = [(done, size) for name, done, size in told if name == str(file)]
        assert steps == sorted(steps)
        assert steps[-1] == (file.stat().st_size, file.stat().st_size)
