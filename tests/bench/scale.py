"""How time and size grow with the log: 1, 2, 4 and 8 million chunks of one week, counted thrice.

Loaded by `citelog ingest`, rolled up by `citelog rollup` on DuckDB, and on Sail, a server of Spark
Connect in a process of its own. Every size fills the same week, in files of about 90 MB, because a
file is what a worker of a cluster reads.

    python -m tests.bench.scale --help
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression

from . import machine
from .logs import made
from .running import BUILD, CITELOG, PYTHON, TOP, WORK, CouldNotRun, Run, fresh, pin, run, tell
from .table import markdown, number

CHUNK = 185  # bytes of a log without text, as `generate` writes it
PART = 90 * 10**6
# It ends when its stdin is closed.
SAIL = (
    "import sys; from pysail.spark import SparkConnectServer as S; s = S('127.0.0.1', 0); "
    "s.start(background=True); print(s.listening_address[1], flush=True); sys.stdin.read()"
)
# The client of Spark takes a program without a file for its own tests.
COMMAND = str(Path(PYTHON).with_name("citelog"))
WAYS = ("ingest", "rollup on DuckDB", "rollup on Sail")


@dataclass
class Size:
    """One size of log: what each way cost, and how large what it left is, in MB."""

    chunks: int
    megabytes: float
    runs: dict[str, Run] = field(default_factory=dict)
    store: float = 0.0
    facts: float = 0.0
    rollups: float = 0.0


def main() -> None:
    """Measure and write the tables, to stdout and to build/scale.md."""
    options = _options()
    pin()
    (TOP / BUILD).mkdir(exist_ok=True)
    with (TOP / BUILD / "scale.md").open("w", encoding="utf-8") as file:
        for lines in _document(options.millions, options.ways, options.sail):
            print(lines, flush=True)
            print(lines, file=file, flush=True)
    shutil.rmtree(TOP / WORK, ignore_errors=True)


def _options() -> argparse.Namespace:
    words = argparse.ArgumentParser(prog="python -m tests.bench.scale", description=__doc__)
    add = words.add_argument
    add("--millions", type=float, nargs="+", default=[1, 2, 4, 8], help="of chunks [1 2 4 8]")
    add("--ways", nargs="+", choices=WAYS, default=WAYS, help="what is measured [all]")
    add("--sail", metavar="PYTHON", default=PYTHON, help="an interpreter that has pysail")
    return words.parse_args()


def _document(millions: Sequence[float], ways: Sequence[str], sail: str) -> Iterator[str]:
    yield "# Scale\n"
    processor, system, ours, _, load = machine.facts(PYTHON)
    versions = run(sail, "-m", machine.__name__, "pysail", "pyspark-client").said.strip()
    yield from (processor, system, f"{ours}, {versions}", load)
    sizes = []
    for each in millions:
        sizes.append(_measured(each, ways, sail))
        tell(f"{each:g} million chunks are done, {machine.load()}")
    yield f"\n{_times(sizes, ways)}\n"
    yield from (_slope(sizes, way) for way in ways)
    yield f"\n{_sizes(sizes)}"
    yield f"\nAt the end: {machine.load()}"


def _measured(millions: float, ways: Sequence[str], sail: str) -> Size:
    with made(int(millions * 1e6 * CHUNK), "hashes") as log:
        folder = fresh("scale/logs")
        _cut(TOP / log.path, TOP / folder)
        size = Size(log.chunks, log.bytes / 1e6)
    for way in ways:
        tell(f"{millions:g} million chunks: {way}")
        try:
            size.runs[way] = _run(way, folder, size, sail)
        except CouldNotRun as fault:
            tell(f"not measured: {fault}")
    return size


def _cut(log: Path, folder: Path) -> None:
    """The lines of a log in files of their own, which follow each other in time."""
    with log.open("rb") as lines:
        for number in range(1000):
            part = lines.read(PART) + lines.readline()
            if not part:
                return
            (folder / f"{number:03}.jsonl").write_bytes(part)


def _run(way: str, logs: Path, size: Size, sail: str) -> Run:
    home = TOP / fresh(f"scale/{way.replace(' ', '-')}")
    if way == "ingest":
        cost = run(*CITELOG, "ingest", logs, "--store", home / "store.duckdb")
        size.store = _megabytes(home)
        return cost
    rollup = (COMMAND, "rollup", "--input", TOP / logs, "--output", home / "out")
    if way == "rollup on DuckDB":
        cost = run(*rollup, "--facts", home / "facts")
        size.facts, size.rollups = _megabytes(home / "facts"), _megabytes(home / "out" / "data")
        return cost
    with serving(sail) as server:
        asked = run(*rollup, "--engine", server.address)
    return Run(asked.seconds, asked.cpu + server.used.cpu, asked.rss + server.used.rss)


class Server:
    """A running Sail; `used` is what it cost once it has ended."""

    def __init__(self, port: str) -> None:
        self.address = f"sc://127.0.0.1:{port}"
        self.used = Run(0, 0, 0)


@contextmanager
def serving(python: str) -> Iterator[Server]:
    """Sail on a free port, which ends with the block."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        (python, "-c", SAIL),
        cwd=TOP,
        env=os.environ | {"RUST_LOG": "off"},
        stdin=pipe,
        stdout=pipe,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    server = Server(process.stdout.readline().strip())
    try:
        if server.address.endswith(":"):
            raise CouldNotRun(f"{python} has no pysail")
        yield server
    finally:
        process.stdin.close()
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
        server.used = Run(0, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6)


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def _times(sizes: Sequence[Size], ways: Sequence[str]) -> str:
    head = ("", "chunks", "s", "core s", "core s a million", "peak RSS, MB")
    rows = []
    for way in ways:
        for size in sizes:
            if way not in size.runs:
                continue
            one = size.runs[way]
            told = (one.seconds, one.cpu, one.cpu / size.chunks * 1e6, one.rss)
            rows.append((way, f"{size.chunks:,}", *map(number, told)))
    return markdown(head, rows)


def _slope(sizes: Sequence[Size], way: str) -> str:
    """Both least squares: of the logarithms, and of time over chunks."""
    sizes = [size for size in sizes if way in size.runs]
    if len(sizes) < 2:
        return f"- {way}: no slope, as fewer than two sizes were measured"
    millions = [size.chunks / 1e6 for size in sizes]
    told = []
    for unit, used in (
        ("s", [size.runs[way].seconds for size in sizes]),
        ("core s", [size.runs[way].cpu for size in sizes]),
    ):
        power = linear_regression(list(map(math.log, millions)), list(map(math.log, used))).slope
        line = linear_regression(millions, used).slope
        told.append(f"{unit} grow as chunks^{power:.2f}, by {number(line)} with each million")
    return f"- {way}: {'; '.join(told)}"


def _sizes(sizes: Sequence[Size]) -> str:
    head = ("chunks", "log, MB", "store, MB", "facts, MB", "rollups, MB", "share of facts")
    rows = []
    for size in sizes:
        told = (size.megabytes, size.store, size.facts, size.rollups)
        share = f"{size.rollups / size.facts:.2%}" if size.facts else ""
        rows.append((f"{size.chunks:,}", *map(number, told), share))
    return f"Facts and rollups as Parquet:\n\n{markdown(head, rows)}"


if __name__ == "__main__":
    main()
