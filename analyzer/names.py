"""Names that come from logs, made safe to print: routes, documents, releases, files.

A log may call a route anything: markup, a page of text, letters that turn the line around. What
is shown keeps every visible letter, spells out the invisible ones, and shortens what is longer
than a line; JSON keeps names as they are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

LONGEST = 60
_TAIL = 16
# Control characters, format characters such as those that change the reading direction, and
# every space but the plain one.
_INVISIBLE = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp", "Zs"}


def shown(name: str, longest: int = LONGEST) -> str:
    """`name` as it is printed; an empty one is said to be empty."""
    ends = name[: 2 * longest] + name[2 * longest :][-_TAIL:]
    visible = "".join(map(_visible, ends))
    if len(visible) > longest or len(name) > 2 * longest:
        visible = f"{visible[: longest - _TAIL - 1]}…{visible[-_TAIL:]}"
    return visible if visible.strip() else "(empty)"


def labels(names: Iterable[str]) -> dict[str, str]:
    """A label for each name; names that would read alike are numbered."""
    given: dict[str, str] = {}
    for name in names:
        label, number = shown(name), 1
        while label in given.values():
            number += 1
            label = f"{shown(name, LONGEST - len('... (99)'))} ({number})"
        given[name] = label
    return given


def _visible(letter: str) -> str:
    if letter != " " and unicodedata.category(letter) in _INVISIBLE:
        return f"\\u{ord(letter):04x}"
    return letter
