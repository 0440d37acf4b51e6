"""Estimates and alarms depend on what a store holds, not on how its days were cut and loaded."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from simulated import MONDAY, happening, small_route, small_world, written

from analyzer import rollup, store
from analyzer.ingest import ingest
from analyzer.measures import weekly
from analyzer.simulate import with_incidents
from analyzer.simulate.traits import Copies, Judging
from analyzer.stats.settings import DriftSettings
from analyzer.watch.alarms import alarms

NOW = datetime(2027, 1, 1, tzinfo=UTC)
WEEKS, FILES = 10, 4
# So small a log alarms only where a handful of requests a week is enough.
SMALL = DriftSettings(least_requests=5, least_events=1.0)


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """The lines of every day of ten weeks on two routes; one of them is flooded with copies."""
    routes = (
        small_route("docs", requests=14.0, orderings={"best_first": 0.5, "edges_first": 0.5}),
        small_route(
            "support", requests=14.0, copies=Copies(mirrors=0.0), judging=Judging(share=0.3)
        ),
    )
    flood = happening("reindex_copies", MONDAY + timedelta(weeks=WEEKS - 2), "support", copies=0.9)
    world = with_incidents(small_world(*routes, weeks=WEEKS, seed=2), [flood])
    files = written(world, tmp_path_factory.mktemp("logs"))
    return [content.decode().splitlines() for content in files.values()]


def told(file: Path) -> dict[str, Any]:
    """All that a store says of its weeks: rollups, estimates, episodes."""
    with store.reader(file) as con:
        found: dict[str, Any] = {
            name: con.execute(f"FROM {name} ORDER BY ALL").fetchall()
            for name in (*rollup.BY_DAY, *rollup.BY_WEEK)
        }
        rows = con.execute("FROM week_estimates ORDER BY week, route, measure").fetchall()
        found["estimates"] = [list(row[:-1]) + list(row[-1]) for row in rows]
        last: date = max(row[0] for row in rows)
        found["episodes"] = [flat(asdict(one)) for one in alarms(con, last, (), SMALL).episodes]
    return found


def flat(nested: dict[str, Any]) -> list[Any]:
    """Every value, in order."""
    return [
        leaf
        for value in nested.values()
        for leaf in (flat(value) if isinstance(value, dict) else [value])
    ]


def near(rows: list[list[Any]]) -> list[list[Any]]:
    """Floats to 1e-12, everything else as it is."""
    return [
        [
            pytest.approx(each, rel=1e-12, abs=1e-15) if isinstance(each, float) else each
            for each in row
        ]
        for row in rows
    ]


@pytest.fixture(scope="module")
def plain(days: list[list[str]], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The same log as one file, loaded once."""
    folder = tmp_path_factory.mktemp("plain")
    found = told(loaded(folder, [[line for day in days for line in day]], [[0]]))
    assert any(one[3] in ("raised", "persistent") for one in found["episodes"])
    return found


def loaded(folder: Path, files: list[list[str]], calls: list[list[int]]) -> Path:
    """A store into which these files were loaded, several by one call."""
    for number, lines in enumerate(files):
        (folder / f"{number}.jsonl").write_text("".join(line + "\n" for line in lines))
    for call in calls:
        paths = [folder / f"{number}.jsonl" for number in call if files[number]]
        if paths:
            ingest(paths, folder / "s.duckdb", now=NOW, unit_key="00", then=weekly.update)
    return folder / "s.duckdb"


@st.composite
def ways(draw: st.DrawFn) -> tuple[list[int], list[list[int]]]:
    """Of each day the file that holds it (some days are cut in two), and the calls that load."""
    held = draw(st.lists(st.integers(0, FILES - 1), min_size=2 * 7 * WEEKS, max_size=2 * 7 * WEEKS))
    order = draw(st.permutations(range(FILES)))
    cut = draw(st.integers(0, FILES))
    return held, [order[:cut], *([number] for number in order[cut:])]


@given(ways())
@settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
def test_any_partition_and_any_order_give_the_same_estimates_and_episodes(
    days: list[list[str]], plain: dict[str, Any], way: tuple[list[int], list[list[int]]]
) -> None:
    held, calls = way
    files: list[list[str]] = [[] for _ in range(FILES)]
    for number, day in enumerate(days):
        half = len(day) // 2
        files[held[2 * number]] += day[:half]
        files[held[2 * number + 1]] += day[half:]
    with TemporaryDirectory() as folder:
        found = told(loaded(Path(folder), files, calls))
    assert found.keys() == plain.keys()
    for name, rows in found.items():
        exact = name in rollup.BY_DAY or name in rollup.BY_WEEK
        assert rows == (plain[name] if exact else near(plain[name])), name
