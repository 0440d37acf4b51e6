"""The sample logs are small, hold what their README says, and can be made again exactly."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from simulated import unpacked, written

from analyzer.simulate import adjusted, load_scenario


@pytest.fixture(scope="module")
def folder(repo_root: Path) -> Path:
    return repo_root / "sample_logs"


@pytest.fixture(scope="module")
def truth(folder: Path) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads((folder / "truth.json").read_text())
    return shown


def stem(name: str) -> str:
    """The name of a log file without its packing."""
    return name.removesuffix(".zst").removesuffix(".gz")


def test_they_are_made_again_from_their_scenario(
    folder: Path, truth: dict[str, Any], tmp_path: Path
) -> None:
    scenario = adjusted(load_scenario(folder / "scenario.toml"), compression="none")
    again = {stem(name): content for name, content in written(scenario, tmp_path).items()}
    there = {stem(path.name): path for path in folder.glob("*.jsonl*")}
    assert again.keys() == there.keys()
    assert [name for name in there if unpacked(there[name]) != again[name]] == []
    made = json.loads((tmp_path / "truth.json").read_text())
    assert [made[part] for part in ("total", "weeks")] == [truth["total"], truth["weeks"]]


def test_they_are_under_twelve_megabytes(folder: Path) -> None:
    assert sum(path.stat().st_size for path in folder.iterdir()) < 12_000_000


def test_the_lines_of_every_file_add_up(folder: Path, truth: dict[str, Any]) -> None:
    kinds = ("loaded", "superseded", "rejected", "duplicate", "judgement")
    for path in folder.glob("*.jsonl*"):
        lines = truth["files"][path.name]
        assert unpacked(path).count(b"\n") == lines["read"]
        assert sum(lines.get(kind, 0) for kind in kinds) == lines["read"]


def test_the_readme_tells_the_numbers_of_the_truth(folder: Path, truth: dict[str, Any]) -> None:
    readme = (folder / "README.md").read_text()
    said = {int(number.replace(",", "")) for number in re.findall(r"\b\d[\d,]*\b", readme)}
    total, weeks = truth["total"], truth["weeks"]
    sums = Counter[str]()
    for week in weeks:
        sums.update({name: week[name] for name in ("requests", "retrieved", "packed")})
    kinds = ("read", "loaded", "superseded", "rejected", "duplicate", "judgement")
    assert {*sums.values(), *(total[kind] for kind in kinds)} <= said


def test_the_readme_tells_the_true_dips_and_copies(truth: dict[str, Any]) -> None:
    dips: dict[tuple[str, str], list[float]] = {}
    redundant: dict[str, list[int]] = {"help-2026-08": [0, 0], "help-2026-11": [0, 0]}
    for week in truth["weeks"]:
        if week["true_dip"] is not None:
            dips.setdefault((week["route"], week["model"]), []).append(week["true_dip"])
        if week["route"] == "support":
            counts = redundant[week["index_version"]]
            counts[0] += week["redundant"]
            counts[1] += week["packed"]
    assert {key: round(sum(each) / len(each), 2) for key, each in dips.items()} == {
        ("support", "heron-1"): 0.10,
        ("docs", "heron-1"): 0.12,
        ("docs", "heron-2"): 0.26,
    }
    shares = {index: copies / packed for index, (copies, packed) in redundant.items()}
    assert shares["help-2026-08"] < 0.01
    assert round(shares["help-2026-11"], 2) == 0.18
