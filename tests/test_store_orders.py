"""A store depends on what it holds, never on how that came: order, split, repeats, taking back.

`CITELOG_EXAMPLES` multiplies how many histories are tried.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from loading.sites import FACTS, ROLLUPS, Site
from logs import judgements, requests

from analyzer.ingest import settling

NAMES = [f"q{number}" for number in range(5)]
BAD = ['{"request_id": ', '{"request_id": "q0", "chunks": [{"chunk_id": "c", "rank": 0}]}']

Lines = tuple[str, ...]


@pytest.fixture(autouse=True, scope="module")
def small_slices() -> Iterator[None]:
    """Contested requests are settled a few at a time, as whole nights are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "CHUNKS_A_SLICE", 5)
        yield


Step = tuple[Literal["load", "forget"], int]

some_histories = settings(
    max_examples=12 * int(os.environ.get("CITELOG_EXAMPLES", "1")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.target],  # shrinking takes minutes
)


@dataclass(frozen=True)
class History:
    """Files by number, and what was done with them, one call each."""

    files: list[Lines]
    steps: list[Step]

    def left(self) -> list[int]:
        """The files that were loaded and not taken back since."""
        held: set[int] = set()
        for verb, number in self.steps:
            held = held | {number} if verb == "load" else held - {number}
        return sorted(held)


@st.composite
def log_lines(draw: st.DrawFn) -> list[str]:
    """Requests, several records of some of them, labels before and after, and bad lines."""
    records = draw(st.lists(st.sampled_from(NAMES).flatmap(requests), min_size=2, max_size=7))
    records = [{**record, "revision": draw(st.integers(0, 1))} for record in records]
    labels = draw(st.lists(st.sampled_from(NAMES).flatmap(judgements), max_size=4))
    bad = draw(st.lists(st.sampled_from(BAD), max_size=1))
    return [json.dumps(record) for record in [*records, *labels]] + bad


@st.composite
def splits(draw: st.DrawFn, lines: list[str]) -> list[Lines]:
    """The lines over up to four files, some of them in several, or twice in one."""
    count = draw(st.sampled_from([1, 2, 2, 3, 3, 4]))
    files: list[list[str]] = [[] for _ in range(count)]
    repeated = draw(st.lists(st.sampled_from(lines), max_size=4))
    for line in [*lines, *repeated]:
        files[draw(st.integers(0, count - 1))].append(line)
    # Two files of the same bytes are one batch, which has the name of the first that came.
    return sorted({tuple(draw(st.permutations(file))) for file in files})


@st.composite
def histories(draw: st.DrawFn, files: list[Lines]) -> History:
    """Every file is loaded; some are taken back before or after others, and loaded again."""
    numbers = range(len(files))
    steps: list[Step] = [("load", number) for number in draw(st.permutations(numbers))]
    for number in draw(st.lists(st.sampled_from(numbers), max_size=3)):
        verb = draw(st.sampled_from(["load", "forget", "forget"]))
        steps.append((verb, number))
    again = draw(st.lists(st.sampled_from(numbers), max_size=2))
    return History(files, [*steps, *(("load", number) for number in again)])


def written(folder: Path, files: Sequence[Lines]) -> list[Path]:
    folder.mkdir()
    paths = [folder / f"{number}.jsonl" for number in range(len(files))]
    for path, file in zip(paths, files, strict=True):
        path.write_text("".join(line + "\n" for line in file), encoding="utf-8")
    return paths


def run(site: Site, history: History, paths: Sequence[Path]) -> None:
    batches = {}
    for verb, number in history.steps:
        if verb == "load":
            [batches[number]] = site.load(paths[number])
        elif site.rows(f"SELECT 1 FROM batches WHERE batch = '{batches[number].batch}'"):
            site.forget(batches[number])


@given(st.data())
@some_histories
def test_the_same_files_make_the_same_store_whatever_happened(data: st.DataObject) -> None:
    files = data.draw(log_lines().flatmap(splits))
    history = data.draw(histories(files))
    event(f"{len(files)} files, {len(history.left())} left")
    with TemporaryDirectory() as folder:
        paths = written(Path(folder, "logs"), files)
        lived, fresh = (Site(Path(folder, name)) for name in ("lived", "fresh"))
        lived.folder.mkdir()
        fresh.folder.mkdir()
        run(lived, history, paths)
        if history.left():
            fresh.load(*(paths[number] for number in history.left()))
            assert lived.contents() == fresh.contents()
        else:
            assert not any(lived.contents().values())


@given(st.data())
@some_histories
def test_the_same_lines_make_the_same_facts_however_they_are_split(data: st.DataObject) -> None:
    lines = data.draw(log_lines())
    ways = [data.draw(splits(lines)) for _ in range(2)]
    event(f"{len(ways[0])} and {len(ways[1])} files")
    found = []
    with TemporaryDirectory() as folder:
        for number, files in enumerate(ways):
            site = Site(Path(folder, str(number)))
            site.folder.mkdir()
            for path in data.draw(st.permutations(written(site.folder / "logs", files))):
                site.load(path)
            found.append(site.contents((*FACTS, *ROLLUPS)))
    assert found[0] == found[1]


def test_one_call_and_many_calls_make_the_same_store(tmp_path: Path) -> None:
    lines = [json.dumps({"request_id": name, "chunks": []}) for name in NAMES]
    timed = [line.replace("{", '{"requested_at": "2026-11-05T12:00:00Z", ', 1) for line in lines]
    paths = written(tmp_path / "logs", [tuple(timed[:2]), tuple(timed[1:]), tuple(timed[::2])])
    (tmp_path / "one").mkdir()
    (tmp_path / "many").mkdir()
    one, many = Site(tmp_path / "one"), Site(tmp_path / "many")
    one.load(*paths)
    for path in reversed(paths):
        many.load(path)
    assert one.contents() == many.contents()
