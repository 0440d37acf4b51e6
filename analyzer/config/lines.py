"""On which line of a TOML file a setting stands, because the parser of the library does not say.

The file is parsed line by line, a line more each time. A setting stands where the first beginning
of the file that holds it goes beyond the last one that was whole: so the library's own parser
decides, also about values and names that run over several lines.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any

_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


def line_of(text: str, path: Sequence[str]) -> int:
    """The line, from 1, on which the statement begins that gives `path` its value."""
    whole, lines = 0, text.splitlines(keepends=True)
    for count in range(1, len(lines) + 1):
        held = _parsed("".join(lines[:count]))
        if held is None:
            continue
        if _holds(held, path):
            return whole + 1
        whole = count
    return max(1, len(lines))


def place_of(error: tomllib.TOMLDecodeError, text: str) -> tuple[int, int | None]:
    """Line and column of what is no TOML; without a column the file ends too early."""
    found = _PLACE.search(str(error))
    if found is None:
        return max(1, len(text.splitlines())), None
    return int(found[1]), int(found[2])


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _holds(value: object, path: Sequence[str]) -> bool:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name]
    return True
