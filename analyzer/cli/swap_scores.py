"""What comes of position-swap evaluations: score, gate, what is kept, what is not covered."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import asking, options, progress, say
from analyzer.errors import NothingThere, UsageError
from analyzer.parameters import week_named

if TYPE_CHECKING:
    from analyzer.swap.loading import Told, Verdict
    from analyzer.swap.outcomes import Run

EXITS = {"pass": 0, "fail": 7, "inconclusive": 8}


class By(StrEnum):
    """What a row of the score is, for programs."""

    length = "length"
    position = "position"


class JudgedBy(StrEnum):
    """How an answer is judged; the words of `analyzer.swap.judging`."""

    exact = "exact"
    alias = "alias"
    span = "span"
    cited = "cited"


JudgeOption = Annotated[
    JudgedBy | None,
    typer.Option(
        help="exact: it is the first answer; alias: one of them; span: one stands in it; cited: "
        "it cites the expected chunk. Span by default, cited where no answers are known."
    ),
]
JudgeCommand = Annotated[
    str | None,
    typer.Option(
        help='In its place: a program that reads {"question", "answers", "answer"} and writes '
        '{"correct": true}. Its verdicts are kept beside the results and not asked for twice.'
    ),
]
ModelOption = Annotated[
    str | None, typer.Option(help="Which model it was, for a sweep that does not say so.")
]
VersionOption = Annotated[str | None, typer.Option(help="Of the prompt, as logs name it.")]
ChunksOption = Annotated[
    int | None, typer.Option(min=2, help="In a prompt, for a sweep that does not say so.")
]
BaseOption = Annotated[
    int | None,
    typer.Option(min=0, max=1, help="What a sweep calls the first position; as it looks."),
]
Margin = Annotated[
    float, typer.Option(min=0.0, max=1.0, help="By how much the gap may be larger; a rate.")
]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    for command in (score, gate, runs, forget, coverage):
        app.command()(command)


def score(
    results: Annotated[Path, typer.Argument(help="What `swap run` wrote, or a published sweep.")],
    judge: JudgeOption = None,
    judge_command: JudgeCommand = None,
    model: ModelOption = None,
    prompt_version: VersionOption = None,
    chunks: ChunksOption = None,
    position_base: BaseOption = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep it in the store.")] = False,
    store: options.Store = options.DEFAULT_STORE,
    by: Annotated[By, typer.Option(help="A row for each, where a --format is asked.")] = By.length,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> None:
    """Judge the answers: profile over start, middle and end, the gap, and how sure it is."""
    from analyzer.swap import tables
    from analyzer.swap.loading import Told
    from analyzer.swap.telling import lines

    told = Told(
        model=model, prompt_version=prompt_version, chunks=chunks, position_base=position_base
    )
    found = _loaded(results, told, judge, judge_command)
    if as_format is None and output is None:
        for line in lines(found):
            say.data(say.plain(line))
    else:
        made = tables.profiles(found) if by is By.length else tables.slots(found)
        asking.show(made, as_format, output)
    if keep:
        say.talk(f"{store}: keeps it as run {_kept(store, found)}")


def gate(
    old: Annotated[Path, typer.Argument(help="Results of the model that answers now.")],
    new: Annotated[Path, typer.Argument(help="Results of the one that is to, on the same set.")],
    margin: Margin = 0.05,
    judge: JudgeOption = None,
    judge_command: JudgeCommand = None,
    chunks: ChunksOption = None,
    position_base: BaseOption = None,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> int:
    """Hold a new model against the old one: exit 0 pass, 7 fail, 8 inconclusive.

    Its gap is larger on the same questions: fail. It is surely not larger by the margin: pass.
    The gap alone decides; accuracy at the start, in the middle and at the end stands beside it,
    with a warning where it clearly fell.
    """
    from analyzer.swap.gating import compare
    from analyzer.swap.loading import Told
    from analyzer.swap.tables import gated
    from analyzer.swap.telling import gate_lines

    before, after = (
        _loaded(
            path,
            Told(model_otherwise=path.name, chunks=chunks, position_base=position_base),
            judge,
            judge_command,
        )
        for path in (old, new)
    )
    decided = compare(before, after, margin)
    if as_format is None and output is None:
        for line in gate_lines(decided, before, after, margin):
            say.data(say.plain(line))
    else:
        asking.show(gated(decided, before, after, margin), as_format, output)
        _warn(before, after, margin)
    return EXITS[decided.decision]


def runs(
    store: options.Store = options.DEFAULT_STORE,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> None:
    """List the evaluations that the store keeps, the latest first.

    A table shows what tells them apart and their gap; files and other formats hold every column.
    """
    from analyzer.store import reader
    from analyzer.swap.tables import every_run, in_short

    with reader(store) as con:
        found = every_run(con)
    to_read = output is None and as_format in (None, options.Format.table)
    asking.show(in_short(found) if to_read else found, as_format, output)


def forget(
    name: Annotated[str, typer.Argument(metavar="RUN", help="As `swap runs` names it.")],
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Take a kept evaluation out of the store."""
    from analyzer.store import writer
    from analyzer.swap import keeping

    with writer(store, new=False) as con:
        keeping.forget(con, name)
    say.data(f"{store}: run {name} is forgotten")


def coverage(
    store: options.Store = options.DEFAULT_STORE,
    week: Annotated[
        str | None, typer.Option(help="As 2026-W47; by default the newest that is over.")
    ] = None,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> None:
    """Say which models, prompt versions and prompt lengths no evaluation has covered."""
    from analyzer import weeks
    from analyzer.store import reader
    from analyzer.swap.covering import coverage as covered
    from analyzer.swap.telling import coverage_lines

    with reader(store) as con:
        monday = week_named(week) if week else weeks.newest(con, datetime.now(UTC).date())
        found = covered(con, monday)
    if not found.num_rows:
        raise NothingThere(f"{store}: no route had 50 requests in the week of {monday}")
    if as_format is None and output is None:
        for line in coverage_lines(found, monday):
            say.data(say.plain(line))
    else:
        asking.show(found, as_format, output)


def _loaded(path: Path, told: Told, judge: JudgedBy | None, judge_command: str | None) -> Run:
    from analyzer.swap.judging import Judge
    from analyzer.swap.loading import load
    from analyzer.swap.telling import under_way

    if judge is not None and judge_command is not None:
        raise UsageError("--judge and --judge-command are both given; one judges")
    verdict = _verdicts(path, judge_command) if judge_command else None
    found = load(path, told, Judge(judge.value) if judge else None, verdict)
    if (open_ends := under_way(found)) is not None:
        say.talk(f"{path}: {open_ends}")
    return found


def _warn(old: Run, new: Run, margin: float) -> None:
    """Of a place that fell, on stderr: the figures alone do not say it aloud."""
    from analyzer.swap.telling import fallen

    if (warning := fallen(old, new, margin)) is not None:
        say.talk(say.plain(warning))


def _verdicts(path: Path, command: str) -> Verdict:
    from analyzer.swap.command import Command
    from analyzer.swap.verdicts import verdicts

    with progress.counting("judged") as tell:
        return verdicts(path, Command.of(command, seconds=120.0), tell=tell)


def _kept(store: Path, found: Run) -> str:
    from analyzer.store import writer
    from analyzer.swap.keeping import keep

    with writer(store) as con:
        return keep(con, found, datetime.now(UTC))
