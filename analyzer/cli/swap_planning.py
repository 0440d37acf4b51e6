"""`citelog swap plan`: a counterbalanced set, from labelled questions or from raw logs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import say
from analyzer.errors import NothingThere, UsageError
from analyzer.numbers import counted

if TYPE_CHECKING:
    import random

    from analyzer.swap.planning import At, Plan
    from analyzer.swap.questions import Found

    Lengths = Callable[[int, random.Random], list[int]]

Labels = Annotated[
    list[str] | None,
    typer.Option(
        help="Lines of request_id with the question, answers or expected_chunk_ids that the logs "
        "lack; repeat."
    ),
]
At_ = Annotated[
    list[str] | None,
    typer.Option(
        "--at", help="places (start, middle and end; the default), slots (every one), or one."
    ),
]
LengthsOf = Annotated[
    Path | None,
    typer.Option(
        metavar="STORE", help="As long as the prompts of the --route in its last four weeks."
    ),
]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(plan)


def plan(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Labelled questions, or logs (--logs).")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the set goes.")],
    logs: Annotated[
        bool, typer.Option("--logs", help="The paths are logs that carry questions and texts.")
    ] = False,
    labels: Labels = None,
    route: Annotated[str | None, typer.Option(help="Only requests of this route.")] = None,
    questions: Annotated[int, typer.Option(min=1, help="At most so many, drawn.")] = 500,
    at: At_ = None,
    draws: Annotated[int, typer.Option(min=1, help="Of the other chunks, per question.")] = 1,
    chunks: Annotated[int | None, typer.Option(min=3, help="In every prompt.")] = None,
    tokens: Annotated[int | None, typer.Option(min=1, help="Of every prompt, about.")] = None,
    lengths_of: LengthsOf = None,
    seed: Annotated[int, typer.Option(help="The same seed makes the same set.")] = 1,
) -> None:
    """Make a set: each question with its expected chunk at several places, all else equal.

    Prompts are as long as --chunks, --tokens or --lengths-of say; else as long as the packed
    prompts of the logs, or as the chunks of a labelled question make them.
    """
    from analyzer.swap import planning, sets

    _check_one({"--chunks": chunks, "--tokens": tokens, "--lengths-of": lengths_of})
    _check_apart(output, [*paths, *(labels or [])])
    found = _labelled(paths, labels, route) if not logs else _logged(paths, labels, route)
    wanted = planning.Wanted(
        seed=seed,
        questions=questions,
        at=_places(at or ["places"]),
        draws=draws,
        chunks=chunks,
        lengths=None if chunks else _lengths(tokens, lengths_of, paths if logs else [], route),
    )
    made = planning.plan(found.questions, wanted)
    if not made.planned:
        raise NothingThere(f"{', '.join(paths)}: no question can be planned{_reasons(found, made)}")
    sets.write(
        output, sets.Head(seed=seed, route=route, estimated_tokens=found.estimated), made.planned
    )
    _tell(output, found, made)


def _check_one(said: dict[str, object]) -> None:
    given = [name for name, value in said.items() if value is not None]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} are both given; one says how long prompts are")


def _check_apart(output: Path, paths: list[str]) -> None:
    """What is read is not written over."""
    from analyzer.sources import expand

    read = [path for path in expand(paths) if isinstance(path, Path)]
    if output.exists() and any(output.samefile(path) for path in read):
        raise UsageError(f"{output}: is one of the files to read; name another with -o")


def _places(names: list[str]) -> tuple[At, ...]:
    from analyzer.swap.planning import At

    for name in names:
        if name not in set(At):
            raise UsageError(f"--at {name!r} is none of {', '.join(At)}")
    return tuple(map(At, names))


def _labelled(paths: list[str], labels: list[str] | None, route: str | None) -> Found:
    from analyzer.swap.questions import read

    if labels:
        raise UsageError("--labels are for logs; add --logs, or put labels into the questions")
    return read(paths, route)


def _logged(paths: list[str], labels: list[str] | None, route: str | None) -> Found:
    from analyzer.swap.logged import read_logs

    found = read_logs(paths, labels or [], route)
    routes = sorted({each.route or "unknown" for each in found.questions})
    if route is None and len(routes) > 1:
        names = ", ".join(routes)
        raise UsageError(f"the logs hold questions of routes {names}; name one with --route")
    return found


def _lengths(
    tokens: int | None, store: Path | None, logs: list[str], route: str | None
) -> Lengths | None:
    """So many questions, and dice, to the context tokens of each; None: as its chunks make it."""
    from analyzer.swap import lengths, logged, production

    if tokens is not None:
        return lambda n, dice: [tokens] * n
    if store is not None:
        bins = production.length_bins(store, route, datetime.now(UTC).date())
        return lambda n, dice: lengths.drawn_of_bins(bins, n, dice)
    packed = logged.packed_tokens(logs, route) if logs else []
    return (lambda n, dice: lengths.drawn(packed, n, dice)) if packed else None


def _tell(output: Path, found: Found, made: Plan) -> None:
    asks = sum(len(each.positions) for each in made.planned)
    tokens = sorted(each.tokens for each in made.planned)
    questions = len({each.question_id for each in made.planned})
    say.data(
        f"{output}: {counted(questions, 'question')}, {counted(asks, 'prompt')} of "
        f"{tokens[0]:,} to {tokens[-1]:,} context tokens, median {tokens[len(tokens) // 2]:,}"
        f"{' (in part a quarter of the characters)' if found.estimated else ''}"
    )
    if made.short:
        say.talk(
            f"{counted(made.short, 'question')} stayed shorter: there are too few other chunks"
        )
    if not any(each.answers for each in made.planned):
        say.talk("no answers are known; swap score can judge by citations or by a command")
    for why, lines in sorted((found.left_out + made.left_out).items()):
        say.talk(f"left out: {counted(lines, 'line')}, because {why}")


def _reasons(found: Found, made: Plan) -> str:
    left_out = sorted((found.left_out + made.left_out).items())
    return "".join(f"; {counted(lines, 'line')}: {why}" for why, lines in left_out)
