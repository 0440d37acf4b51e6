r"""Paths into JSON values: `hits[0].docid`, `docs[*].id`, `"a.b".c`, and names such as `$key`.

A path starts at the value at hand, or at a name that begins with `$`. `[*]` gives every member as
one list. A path that leads nowhere gives None. A template, `{$key}/{query_id}`, holds paths in
braces and gives text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from analyzer.errors import CitelogError
from analyzer.sources import values

EVERY: Final = object()

_STEP = re.compile(r'\.?(?:"(?P<quoted>[^"]+)"|(?P<plain>[^.\[\]"{}]+)|\[(?P<index>\d+|\*)\])')
_HOLE = re.compile(r"\{([^{}]+)\}")


class Path(NamedTuple):
    """Steps into a value: names, places in lists, or EVERY."""

    steps: tuple[Any, ...]

    def of(self, root: Any, names: Mapping[str, Any]) -> Any:
        """What stands there, or None."""
        steps = self.steps
        if steps and isinstance(steps[0], str) and steps[0].startswith("$"):
            root, steps = names.get(steps[0]), steps[1:]
        return _walked(root, steps)


def _walked(value: Any, steps: tuple[Any, ...]) -> Any:
    for at, step in enumerate(steps):
        if isinstance(value, str):
            value = values.unfolded(value)
        if step is EVERY:
            found = [_walked(member, steps[at + 1 :]) for member in values.items(value)]
            return [each for each in _flat(found) if each is not None]
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
        if value is None:
            return None
    return value


def _flat(found: list[Any]) -> list[Any]:
    return [each for item in found for each in (item if isinstance(item, list) else [item])]


def path(written: str, where: str) -> Path:
    """A path as it is written; raises CitelogError for one that cannot be read."""
    steps: list[Any] = []
    at = 0
    while at < len(written):
        step = _STEP.match(written, at)
        if not step:
            raise CitelogError(
                f'{where}: {written!r} is no path; write it as hits[0].docid, docs[*].id or "a.b".c'
            )
        at = step.end()
        index = step["index"]
        if index is None:
            steps.append(step["quoted"] or step["plain"])
        else:
            steps.append(EVERY if index == "*" else int(index))
    return Path(tuple(steps))


class Template(NamedTuple):
    """Text with paths in it."""

    pieces: tuple[str | Path, ...]

    def of(self, root: Any, names: Mapping[str, Any]) -> str | None:
        """The text; None where one of its paths leads nowhere."""
        said = []
        for piece in self.pieces:
            found = piece if isinstance(piece, str) else values.name(piece.of(root, names))
            if found is None:
                return None
            said.append(found)
        return "".join(said)


def rule(written: str, where: str) -> Path | Template:
    """A path, or a template where there are braces."""
    if "{" not in written:
        return path(written, where)
    pieces: list[str | Path] = []
    at = 0
    for hole in _HOLE.finditer(written):
        pieces += [written[at : hole.start()], path(hole[1], where)]
        at = hole.end()
    return Template((*pieces, written[at:]))
