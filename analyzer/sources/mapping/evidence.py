"""What the documents of an unknown log hold: every path with its values, and what they look like.

A name says what a field is meant to be; values say what it is. Names are asked first, because
a log that calls a field `score` means one, and values where no name is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from analyzer.sources import values
from analyzer.sources.formats.prompting import places
from analyzer.sources.mapping.paths import path as path_named

_DEEPEST = 7
_MOST_MEMBERS = 20
_MARKER = re.compile(r"\[\d{1,3}\]")
_MODEL = re.compile(
    r"gpt-|claude|llama|mi[sx]tral|gemini|gemma|command-|qwen|deepseek|phi-\d|nova-|titan",
    re.IGNORECASE,
)
_PLAIN_STEP = re.compile(r"[\w$ -]+")
_YEARS = (946_684_800, 4_102_444_800)  # 2000 to 2100, in seconds


class Choice(NamedTuple):
    """A path for a field, and why it was chosen."""

    path: str
    why: str


class Evidence:
    """Paths of some values that are alike: documents of a log, or members of its lists."""

    def __init__(self, sample: Sequence[Any]) -> None:
        self.sample = sample
        self.paths: dict[str, None] = {}
        for value in sample:
            self.paths |= dict.fromkeys(_paths(value, ""))

    def at(self, path: str) -> list[Any]:
        """What stands at a path in each of them, where anything does."""
        leads = path_named(path, "map")
        return [found for value in self.sample if (found := leads.of(value, {})) is not None]

    def named(
        self, words: str, fits: Callable[[Any], bool], within: Sequence[str]
    ) -> Choice | None:
        """The path whose last name is the first of the words; of several the shallowest."""
        order = words.split()
        found = [
            (order.index(last), path.count("."), path)
            for path in within
            if (last := path.rsplit(".", 1)[-1].lower()) in order and self.all(path, fits)
        ]
        if not found:
            return None
        best = min(found)[2]
        return Choice(best, f"is called {best.rsplit('.', 1)[-1]}")

    def looking(
        self, fits: Callable[[Any], bool], why: str, within: Sequence[str]
    ) -> Choice | None:
        """The shallowest of some paths whose values all look alike."""
        found = [(path.count("."), path) for path in within if self.all(path, fits)]
        return Choice(min(found)[1], why) if found else None

    def all(self, path: str, fits: Callable[[Any], bool]) -> bool:
        """Whether something stands at a path, and all of it fits."""
        found = self.at(path)
        return bool(found) and all(map(fits, found))


def _paths(value: Any, path: str) -> Iterator[str]:
    """Every path to a member, `[*]` for those of a list; JSON in strings is looked into."""
    value = values.unfolded(value)
    if path.count(".") + path.count("[*]") >= _DEEPEST:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            plain = _PLAIN_STEP.fullmatch(str(name))
            if not name or (not plain and '"' in str(name)):
                continue
            own = f"{path}.{name}" if plain else f'{path}."{name}"'
            own = own.removeprefix(".")
            yield own
            yield from _paths(inner, own)
    elif isinstance(value, list):
        for inner in value[:_MOST_MEMBERS]:
            if isinstance(inner, dict):
                yield from _paths(inner, f"{path}[*]")


def is_text(value: Any) -> bool:
    """A text of several words."""
    return isinstance(value, str) and len(value) >= 20 and len(value.split()) >= 4


def is_name(value: Any) -> bool:
    """An id or a label: short, without spaces, or a whole number."""
    if isinstance(value, str):
        return 0 < len(value) <= 200 and not re.search(r"\s", value)
    return isinstance(value, int) and not isinstance(value, bool)


def is_label(value: Any) -> bool:
    """A label that a person could have written."""
    return isinstance(value, str) and 0 < len(value) <= 100 and "\n" not in value


def is_number(value: Any) -> bool:
    """A number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """A whole number."""
    return values.whole(value) is not None


def is_time(value: Any) -> bool:
    """A time as text, or a count since 1970 in seconds or parts of them."""
    plain = values.number(value)
    if plain is not None:
        return any(_YEARS[0] <= plain / unit <= _YEARS[1] for unit in (1, 1e3, 1e6, 1e9))
    if not isinstance(value, str) or not (value.isdecimal() or ":" in value):
        return False
    return re.match(r"\d{4}-\d\d-\d\dT", values.time(value) or "") is not None


def is_model(value: Any) -> bool:
    """The name of a model."""
    return is_name(value) and _MODEL.search(str(value)) is not None


def cites(value: Any) -> bool:
    """A text with markers."""
    return isinstance(value, str) and _MARKER.search(value) is not None


def holds(prompt: Any, texts: Sequence[Any]) -> bool:
    """Whether most of some texts stand in a prompt."""
    found = "\n".join(values.strings(values.unfolded(prompt)))
    known = [text for text in texts if is_text(text)]
    stood = places(known, found) if found and known else None
    return stood is not None and 2 * sum(at is not None for at in stood.positions) >= len(known)
