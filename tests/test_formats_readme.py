"""The table of formats names what `citelog formats` names, and promises no more."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from analyzer.sources.formats.catalogue import FORMATS
from analyzer.sources.mapping import shipped

HEADING = "\n## Formats of other tools\n"
FIELDS = ("rank", "rerank score", "score", "position", "text", "prompt tokens", "time", "correct")
REFUSALS = ("no cited rate", "no position measure", "assumed")


class Row(NamedTuple):
    names: list[str]
    gives: str
    lacks: str


@pytest.fixture(scope="module")
def rows(repo_root: Path) -> list[Row]:
    page = (repo_root / "analyzer/sources/README.md").read_text("utf-8")
    after = page[page.index(HEADING) + len(HEADING) :]
    lines = [line for line in after.split("\n## ")[0].splitlines() if line.startswith("| ")]
    cells = [line.strip("| ").split(" | ") for line in lines[1:]]
    return [Row(re.findall(r"`(\w+)`", first), gives, lacks) for first, gives, lacks in cells]


@pytest.fixture(scope="module")
def told() -> dict[str, tuple[str, str]]:
    """What each format gives and lacks, as the program says it."""
    return {each.name: (each.gives, each.lacks) for each in (*FORMATS, *shipped())}


def test_every_format_and_mapping_stands_there_once(
    rows: list[Row], told: dict[str, tuple[str, str]]
) -> None:
    assert sorted(name for row in rows for name in row.names) == sorted(told)


def test_the_readme_names_formats_that_there_are(
    repo_root: Path, told: dict[str, tuple[str, str]]
) -> None:
    text = (repo_root / "README.md").read_text("utf-8")
    _, _, after = text.partition("\n### Logs that you already have\n")
    listed = re.findall(r"^(?:- |  )(.+)$", after.split("\n#")[0], re.MULTILINE)
    named = re.findall(r"`(\w+)`", " ".join(listed))
    assert len(named) > 10
    assert set(named) <= told.keys()


def test_no_row_promises_a_field_that_its_formats_do_not_give(
    rows: list[Row], told: dict[str, tuple[str, str]]
) -> None:
    for row in rows:
        for name in row.names:
            gives, lacks = told[name]
            assert fields(row.gives) <= fields(gives), name
            assert fields(row.lacks) <= fields(lacks), name


def test_what_is_refused_or_assumed_is_said_in_both(
    rows: list[Row], told: dict[str, tuple[str, str]]
) -> None:
    for row in rows:
        for name in row.names:
            said, known = f"{row.gives} {row.lacks}", " ".join(told[name])
            assert [w for w in REFUSALS if w in said] == [w for w in REFUSALS if w in known], name


def fields(words: str) -> set[str]:
    return {name for name in FIELDS if re.search(rf"\b{name}s?\b", words)}
