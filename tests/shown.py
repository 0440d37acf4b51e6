"""The commands that a document shows in its fenced blocks, and what it says they print.

A block counts that is marked `sh` or `console`, or begins with `citelog`, `make` or `$`. In a block
with `$` before its commands the lines between are their output: `...` in a line stands for
anything, and alone on a line for any lines. `<!-- not run: why -->` above a block leaves it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = re.compile(
    r"(?P<above><!-- not run: .+ -->\n)?^```(?P<kind>\w*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_BEGINS = re.compile(r"(?:\$ |citelog |make )")
_ANY_LINES, _ANYTHING = r"(?:.*\n)*?", r".*"


@dataclass(frozen=True)
class Shown:
    """A command as it is written; `output` is None where the document shows none."""

    command: str
    output: tuple[str, ...] | None


def commands(document: str) -> Iterator[Shown]:
    """Every command of a Markdown text, from its top to its end."""
    for block in _BLOCK.finditer(document):
        body = block["body"].replace("\\\n", " ")
        is_shell = block["kind"] in ("sh", "bash", "shell", "console")
        if not block["above"] and (is_shell or (not block["kind"] and _BEGINS.match(body))):
            yield from _with_output(body) if body.startswith("$ ") else _bare(body)


def _bare(body: str) -> Iterator[Shown]:
    for line in body.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield Shown(line, None)


def _with_output(body: str) -> Iterator[Shown]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, *output = part.rstrip("\n").split("\n")
        yield Shown(command, tuple(output) or None)


def agrees(output: tuple[str, ...], printed: str) -> bool:
    """Whether what was printed is what the document shows."""
    lines = (
        _ANY_LINES if line.strip() == "..." else _ANYTHING.join(map(re.escape, line.split("...")))
        for line in output
    )
    pattern = "".join(line if line == _ANY_LINES else rf"{line}[ ]*\n" for line in lines)
    return re.fullmatch(pattern, printed) is not None
