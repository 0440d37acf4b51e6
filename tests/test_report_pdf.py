"""The report as PDF: the same words, names as text, the same bytes, and a way without it."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest
import report_traffic as traffic

from analyzer import config, report
from analyzer.cli import main
from analyzer.errors import CitelogError
from analyzer.nightly import reports
from analyzer.report import forms, pdf
from analyzer.report.model import Report
from analyzer.store import reader

typst = pytest.importorskip("typst")
WEEK = traffic.MONDAY.date()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Report:
    with reader(traffic.store(tmp_path_factory.mktemp("store"))) as con:
        return report.build(con, week=WEEK, version="1.2.3", command="citelog report")


@pytest.fixture(scope="module")
def pictures() -> dict[str, str]:
    return {}


@pytest.fixture(scope="module")
def told(made: Report, pictures: dict[str, str]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(pdf._told(made, pictures)))
    return data


def test_the_same_report_is_the_same_file(tmp_path: Path) -> None:
    with reader(traffic.bare_store(tmp_path)) as con:
        bare = report.build(con, week=WEEK, version="1.2.3")
    files = [forms.write(bare, tmp_path / name) for name in ("one.pdf", "two.pdf")]
    one, two = (path.read_bytes() for [path] in files)
    assert one.startswith(b"%PDF-1.")
    assert one == two
    assert b"CreationDate" not in one


def test_names_that_are_attacks_are_set_like_any_other(made: Report) -> None:
    assert pdf.render(made).startswith(b"%PDF-1.")


def strings(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set().union(*map(strings, value.values()), {""})
    if isinstance(value, list | tuple):
        return set().union(*map(strings, value), {""})
    return set()


def test_names_go_to_paper_as_data(told: dict[str, Any], pictures: dict[str, str]) -> None:
    assert traffic.HOSTILE[0] in strings(told)
    assert all(svg.startswith("<svg") for svg in pictures.values())
    named = {group["picture"] for section in told["sections"] for panel in section["panels"]
             for group in panel["groups"]}  # fmt: skip
    assert named - {""} == set(pictures)


def test_every_panel_and_its_numbers_are_there(made: Report, told: dict[str, Any]) -> None:
    panels = [panel for section in told["sections"] for panel in section["panels"]]
    assert len(panels) == len(made.panels)
    words = strings(told)
    for panel in made.panels:
        assert panel.caption in {each.split(" 1 less busy")[0] for each in words} | words
        for group in panel.groups:
            for _, grid in group.printed:
                assert {cell for row in grid.rows for cell in row} <= words


def test_without_the_package_there_is_one_sentence(
    made: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported = builtins.__import__

    def gone(name: str, *rest: Any, **named: Any) -> Any:
        if name == "typst":
            raise ImportError(name)
        return imported(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", gone)
    with pytest.raises(CitelogError, match=r"^a PDF needs the typst .*; pip install typst"):
        pdf.render(made)


PAPER = ["report.folder=reports", 'report.forms=["pdf"]']


def test_a_night_makes_the_report_on_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with reader(traffic.bare_store(tmp_path)) as con:
        [made] = reports.make(con, config.load(given=PAPER), WEEK, report.Judging(), "1.2.3")
    assert made.files == (Path("reports/2026-W47.pdf"),)
    assert made.files[0].read_bytes().startswith(b"%PDF-1.")


def test_a_night_that_cannot_make_it_says_so_before_it_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reports, "find_spec", lambda _: None)
    monkeypatch.chdir(tmp_path)
    pairs = [word for pair in PAPER for word in ("--set", pair)]
    assert main.run(["nightly", "--store", "s.duckdb", "--input", "logs", *pairs]) == 1
    assert capsys.readouterr().err == (
        "report.forms: a PDF needs the typst package, which is not there; pip install "
        'typst brings it, or leave "pdf" out\n'
    )
    assert not Path("s.duckdb").exists()
