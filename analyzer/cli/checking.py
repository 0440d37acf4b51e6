"""`citelog check`: the linter for who adds the logging."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer import numbers
from analyzer.cli import configured, formats, loading, progress, say
from analyzer.errors import NothingThere
from analyzer.parameters import offset_named

if TYPE_CHECKING:
    from analyzer.checking import Checked, Finding, Level, Reason

WIDTH = 98
_INDENT = 9
REASONS = 12  # of a finding that sums up several; JSON has all


class Form(StrEnum):
    """How findings are written."""

    text = "text"
    json = "json"


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(check)


def check(
    paths: loading.Paths,
    assume_timezone: loading.AssumeTimezone = None,
    marker_base: loading.MarkerBase = None,
    input_format: formats.Format = "auto",
    mapping: formats.Mapping = None,
    tokenizer: formats.Tokenizer = None,
    as_format: Annotated[Form, typer.Option("--format", help="How to write it.")] = Form.text,
    strict: Annotated[bool, typer.Option(help="Exit with 1 where a finding is an error.")] = False,
) -> int:
    """Say what logs lack or get wrong, what each costs and what to do; nothing is stored."""
    from analyzer import checking

    with progress.shown() as advanced:
        made = checking.check(
            paths,
            now=datetime.now(UTC),
            assume_timezone=offset_named(assume_timezone) if assume_timezone else None,
            marker_base=marker_base,
            format=input_format,
            mapping=mapping,
            tokenizer=tokenizer,
            max_rejected=configured.settings().inputs.max_rejected,
            progress=advanced,
        )
    if not made.lines:
        why = "; ".join(one.says for one in made.findings) or "citelog formats says what is"
        raise NothingThere(f"{', '.join(paths)}: no record is in it; {why}")
    for line in _json(made) if as_format is Form.json else _text(made):
        say.data(line)
    return 1 if strict and made.count("error") else 0


def _text(made: Checked) -> Iterator[str]:
    for before, finding in zip([None, *made.findings], made.findings, strict=False):
        yield from _finding(finding, before)
    for one in made.unchecked:
        yield from _lines("not told", one.why)
    levels: tuple[Level, ...] = ("error", "warning", "note")
    counted = ", ".join(numbers.counted(made.count(level), level) for level in levels)
    parts = [numbers.counted(made.requests, "request")]
    parts += [numbers.counted(made.judgements, "judgement"), f"{made.rejected:,} rejected"]
    yield f"{numbers.counted(made.lines, 'line')} = {' + '.join(parts)}: {counted}"


def _finding(finding: Finding, before: Finding | None) -> Iterator[str]:
    """A finding; what it costs is not said again after another of its kind."""
    counts = f"{finding.count:,} of {finding.of:,} {finding.base}"
    yield from _lines(finding.level, f"{finding.says}: {counts}")
    if before is None or (before.name, before.costs) != (finding.name, finding.costs):
        yield from _lines("", f"costs: {finding.costs}")
    yield from _lines("", f"do: {finding.do}")
    if finding.reasons:
        yield from _reasons(finding.reasons)
    elif finding.at:
        yield from _lines("", f"see: {', '.join(finding.at)}")


def _reasons(reasons: Sequence[Reason]) -> Iterator[str]:
    for reason in reasons[:REASONS]:
        more = f" and {left:,} more" if (left := reason.count - len(reason.at)) > 0 else ""
        yield from _lines("", f"see: {', '.join(reason.at)}{more}: {reason.says}")
    if (left := len(reasons) - REASONS) > 0:
        yield from _lines("", f"and {left:,} more, all of which --format json has")


def _lines(head: str, said: str) -> Iterator[str]:
    """`said` under its head; no break within a place or a word."""
    wrapped = textwrap.wrap(
        say.plain(said), WIDTH - _INDENT, break_long_words=False, break_on_hyphens=False
    )
    for number, line in enumerate(wrapped):
        yield f"{head if number == 0 else '':{_INDENT}}{line}"


def _json(made: Checked) -> Iterator[str]:
    import msgspec

    held = msgspec.to_builtins(made)
    for finding in held["findings"]:
        finding["cost"] = round(finding.pop("weight"), 3)
    yield json.dumps(held, ensure_ascii=False, indent=1)
