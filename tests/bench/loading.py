"""Loading: citelog, which checks everything, beside others that check nothing.

They take turns in every round, and each is held against the floor of its own round.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from .logs import HOLDS, Log, made
from .running import Run, fresh, settle, tell
from .table import markdown, middle, number, spread, verdict
from .turns import Contender, citelog, unchecked

GOAL = 1.8  # times the floor, whole command against whole process
MEMORY_GOAL = 2000  # MB, for a file of 5 GB
HEAD = ("", "s", "MB/s", "chunk rows/s", "× floor", "CPU s", "peak RSS MB", "one request, s")


def compared(holds: str, size: int, rounds: int, shorter: int, peers: str) -> Iterator[str]:
    """All contenders on one log, pandas on one `shorter` times as short, as Markdown."""
    with made(size, holds) as whole, made(size // shorter, holds) as part, made(1, holds) as one:
        contenders = _contenders(whole, part, peers)
        for turn in range(rounds):
            tell(f"loading {HOLDS[holds]}: round {turn + 1} of {rounds}")
            for contender in contenders:
                contender.turn(one)
    fresh("output")
    yield f"## Loading {HOLDS[holds]}\n\n{whole}; rounds: {rounds}.\n"
    yield markdown(HEAD, [_row(each, contenders[1], whole) for each in contenders])
    yield from _said(contenders, holds)


def _contenders(whole: Log, part: Log, peers: str) -> list[Contender]:
    factor = whole.bytes / part.bytes
    times = f"pandas, unchecked (a log {factor:.0f} times as short: seconds scaled, memory not)"
    return [
        Contender("citelog ingest", citelog, whole),
        Contender("DuckDB, unchecked (the floor)", unchecked("duckdb"), whole),
        Contender("chdb, unchecked", unchecked("chdb", peers), whole),
        Contender(times, unchecked("pandas", peers), part, factor),
    ]


def _row(contender: Contender, floor: Contender, log: Log) -> list[str]:
    if not contender.runs:
        return [contender.name, *["-"] * (len(HEAD) - 1)]
    seconds = contender.taken(_seconds)
    return [
        contender.name,
        spread(seconds),
        number(log.bytes / 1e6 / median(seconds)),
        number(log.chunks / median(seconds)),
        spread(ratios) if (ratios := _ratios(contender, floor)) else "-",
        middle(contender.taken(lambda run: run.cpu)),
        middle(run.rss for run in contender.runs),
        middle(run.seconds for run in contender.starts),
    ]


def _said(contenders: list[Contender], holds: str) -> Iterator[str]:
    for contender in contenders:
        if contender.fault:
            yield f"\n{contender.name}: {contender.fault}"
    checked, floor = contenders[:2]
    ratios = _ratios(checked, floor)
    if ratios and holds != "text":
        yield (
            f"\nGoal: citelog takes at most {GOAL} × the floor; "
            f"it takes {number(median(ratios))} ×: {verdict(median(ratios), GOAL)} "
            f"({number(_past_start(checked) / _past_start(floor))} × where starts are left out)"
        )


def _past_start(contender: Contender) -> float:
    return median(contender.taken(_seconds)) - median(run.seconds for run in contender.starts)


def _ratios(contender: Contender, floor: Contender) -> list[float]:
    """Seconds over the floor's, round by round; one that dropped out has fewer."""
    pairs = zip(contender.taken(_seconds), floor.taken(_seconds), strict=False)
    return [seconds / least for seconds, least in pairs]


def _seconds(run: Run) -> float:
    return run.seconds


def memory(size: int, holds: str) -> Iterator[str]:
    """The peak of citelog's memory on one large file, as Markdown."""
    with made(size, holds) as log:
        tell(f"loading {log}")
        settle()
        cost, _ = citelog(log, fresh("output") / "held")
    fresh("output")
    yield f"## Memory on one large file\n\n{HOLDS[holds]}: {log}.\n"
    head = ("", "peak RSS MB", "s", "MB/s", "CPU s")
    figures = (cost.rss, cost.seconds, log.bytes / 1e6 / cost.seconds, cost.cpu)
    yield markdown(head, [["citelog ingest", *map(number, figures)]])
    yield (
        f"\nGoal: under {MEMORY_GOAL:,} MB for a file of 5 GB; "
        f"it takes {number(cost.rss)} MB: {verdict(cost.rss, MEMORY_GOAL)}"
    )
