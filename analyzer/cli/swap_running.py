"""`citelog swap run`: ask a model, or any program, and keep every answer as it comes."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analyzer.cli import say
from analyzer.cli.swap_progress import Prices, Shown, shown
from analyzer.errors import Stopped, UsageError
from analyzer.numbers import counted

if TYPE_CHECKING:
    from analyzer.swap.asking import Prompt, Reply
    from analyzer.swap.evaluating import Progress
    from analyzer.swap.sets import Set

UNANSWERED = 1
MOST_MONEY = 1e9  # for a million tokens, whatever the currency
BODY = {"temperature": 0, "max_tokens": 256}  # short answers, and the same ones again

Body = Annotated[
    str | None,
    typer.Option(
        metavar="JSON",
        help=f"Merged into every request, over {json.dumps(BODY)}; null takes a field out.",
    ),
]
PromptFile = Annotated[
    Path | None, typer.Option(help="A text with {chunks} and {question} in it, in place of ours.")
]
PromptVersion = Annotated[
    str | None, typer.Option(help="As requests in logs name it; else made from the prompt's text.")
]
Command_ = Annotated[
    str | None,
    typer.Option(
        "--command",
        help="In its place: a program, started for each prompt. On its stdin it gets "
        '{"messages": [{"role": "user", "content": "…"}], "question": "…", '
        '"chunks": [{"chunk_id": "…", "text": "…"}]}, on its stdout it writes {"answer": "…"}.',
    ),
]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(run)


def run(
    questions: Annotated[Path, typer.Argument(metavar="SET", help="What `swap plan` made.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Answers are added to it; run again to go on.")
    ],
    model: Annotated[str, typer.Option(help="As the endpoint, and requests in logs, name it.")],
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="OpenAI-compatible, as https://host/v1.")
    ] = None,
    command: Command_ = None,
    key_variable: Annotated[
        str, typer.Option(metavar="NAME", help="The environment variable that holds the key.")
    ] = "OPENAI_API_KEY",
    prompt: PromptFile = None,
    prompt_version: PromptVersion = None,
    body: Body = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, max=86_400, help="Seconds for one answer.")
    ] = 120.0,
    at_once: Annotated[int, typer.Option(min=1, max=256, help="Questions under way.")] = 4,
    per_minute: Annotated[
        float | None, typer.Option(min=0.1, max=1_000_000, help="At most so many.")
    ] = None,
    attempts: Annotated[int, typer.Option(min=1, max=50, help="For each question.")] = 8,
    first_pause: Annotated[
        float,
        typer.Option(min=0.0, max=3_600, help="Seconds before the second attempt, then doubled."),
    ] = 1.0,
    price_in: Annotated[
        float, typer.Option(min=0.0, max=MOST_MONEY, help="Of a million prompt tokens.")
    ] = 0.0,
    price_out: Annotated[
        float, typer.Option(min=0.0, max=MOST_MONEY, help="Of a million answer tokens.")
    ] = 0.0,
    ask_again: Annotated[
        bool, typer.Option("--ask-again", help="Also what was under way when a run was killed.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it is, ask nothing.")
    ] = False,
) -> int:
    """Ask every question of a set at each of its positions.

    Answers are kept as they come. A run that was stopped or killed goes on where it was: what has
    its answer is not asked again. Nor is what was under way at a kill, which may have been answered
    and paid for; --ask-again asks it, with the same Idempotency-Key.
    """
    from analyzer.swap import evaluating, sets
    from analyzer.swap.prompting import Template
    from analyzer.swap.results import Head
    from analyzer.swap.running import Manner

    asked, prices = sets.read(questions), Prices(price_in, price_out)
    template = Template.of(prompt) if prompt else Template()
    extra = BODY | _object(body) if endpoint else {}
    host, asker = _asker(endpoint, command, model, key_variable, timeout, extra)
    if dry_run:
        _tell_dry(asked, host, prices)
        return 0
    head = Head(
        question_set=asked.name,
        model=model,
        prompt_version=prompt_version or f"citelog-{template.digest}",
        prompt=template.digest,
        asked=host,
        body=extra,
        route=asked.head.route,
    )
    manner = Manner(at_once, attempts, per_minute, first_pause)
    with _stopped(output), shown(prices) as seen:
        done = evaluating.Evaluation(
            asked, head, template, asker, manner, _now, seen.tell, _warner(seen), ask_again
        ).run(output)
    _tell(output, done, prices)
    return UNANSWERED if done.unanswered or done.not_known else 0


def _now() -> datetime:
    return datetime.now(UTC)


def _object(body: str | None) -> dict[str, Any]:
    try:
        given = json.loads(body or "{}")
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise UsageError('--body is no JSON object; write it as {"temperature": 0.2}')
    return given


def _asker(
    endpoint: str | None,
    command: str | None,
    model: str,
    key_variable: str,
    timeout: float,
    body: dict[str, Any],
) -> tuple[str, Callable[[Prompt], Reply]]:
    """What may be said of whom is asked, and how to ask."""
    from analyzer.swap.command import Command
    from analyzer.swap.endpoint import Endpoint

    if endpoint is not None and command is None:
        asked = Endpoint(endpoint, model, os.environ.get(key_variable) or None, timeout, body)
        return asked.host, asked
    if command is not None and endpoint is None:
        program = Command.of(command, timeout)
        return program.name, program
    raise UsageError("name whom to ask with --endpoint or with --command, one of them")


def _tell_dry(asked: Set, host: str, prices: Prices) -> None:
    asks = sum(len(each.positions) for each in asked.planned)
    tokens = sum(len(each.positions) * each.tokens for each in asked.planned)
    cost = f", about {prices.of(tokens, 0):,.2f} for the prompts" if prices.prompt else ""
    say.data(f"{say.plain(host)}: {counted(asks, 'prompt')}, {tokens:,} context tokens{cost}")


def _tell(output: Path, done: Progress, prices: Prices) -> None:
    spent = prices.of(done.prompt_tokens, done.answer_tokens)
    cost = f", {spent:,.2f} spent" if prices != (0.0, 0.0) else ""
    say.data(
        f"{output}: {done.answered:,} of {done.total:,} answered, "
        f"{done.prompt_tokens:,} prompt tokens and {done.answer_tokens:,} answer tokens{cost}"
    )
    if done.unanswered:
        say.talk(
            f"{counted(done.unanswered, 'prompt')} got no answer, {output} says why; "
            "run again to ask them once more"
        )
    if done.not_known:
        were = "was" if done.not_known == 1 else "were"
        say.talk(
            f"{counted(done.not_known, 'prompt')} {were} under way when a run was killed, and "
            "whether answers came is not known; --ask-again asks once more"
        )


def _warner(seen: Shown) -> Callable[[str], None]:
    def warn(reason: str) -> None:
        seen.talk(say.plain(f"no answer at first: {reason}; it is asked again"))

    return warn


@contextmanager
def _stopped(output: Path) -> Iterator[None]:
    """A scheduler that ends the run lets it keep what is under way, as Ctrl-C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped(
            f"stopped; the answers so far stand in {output}, run again to go on"
        ) from None
    finally:
        signal.signal(signal.SIGTERM, before)
