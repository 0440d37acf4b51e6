"""How long every named question takes, asked again and again on one open connection.

python -m tests.bench.asking STORE WEEK ROUNDS
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .running import CITELOG, PYTHON, CouldNotRun, run, tell
from .stores import Held
from .table import markdown, middle, number, spread

WHOLE = "cited_by_depth"  # asked as a command too

Answers = dict[str, tuple[int, list[float]]]  # rows, milliseconds of each round


def asked(store: Held, rounds: int) -> Iterator[str]:
    """Every question on `store`, and one of them as a whole command, as Markdown."""
    tell(f"asking {store.name}")
    yield f"## Questions to {store}\n\nOn an open connection; rounds: {rounds}.\n"
    try:
        said = run(PYTHON, "-m", "tests.bench.asking", store.path, store.week, str(rounds)).said
        of_week = ("--param", f"week={store.week}", "--store", store.path)
        whole = [run(*CITELOG, "query", WHOLE, *of_week).seconds for _ in range(rounds)]
    except CouldNotRun as fault:
        yield f"Not measured: {fault}"
        return
    answers: Answers = json.loads(said)
    yield markdown(("query", "rows", "median ms", "most ms"), _rows(answers))
    yield f"\n`citelog query {WHOLE}` as a whole command: {spread(whole)} s"


def _rows(answers: Answers) -> Iterator[list[str]]:
    for name, (rows, spent) in answers.items():
        yield [name, f"{rows:,}", middle(spent), number(max(spent))]


def _answers(store: Path, week: str, rounds: int) -> Answers:
    """The questions take turns, so that no one of them finds everything warm."""
    from analyzer.query import ask, load_query, query_names
    from analyzer.store import reader

    values = {"week": week, "first_day": week}
    wanted = {
        name: {
            each.name: values[each.name]
            for each in load_query(name).parameters
            if each.name in values
        }
        for name in query_names()
    }
    answers: Answers = {}
    with reader(store) as con:
        for _ in range(rounds):
            for name, parameters in wanted.items():
                begun = time.perf_counter()
                rows = ask(con, name, **parameters).num_rows
                spent = 1000 * (time.perf_counter() - begun)
                answers.setdefault(name, (rows, []))[1].append(spent)
    return answers


if __name__ == "__main__":
    print(json.dumps(_answers(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))))
