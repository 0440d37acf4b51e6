"""Fields that a record does not have, and what they may have been meant to be.

A log line may carry more than the record asks for. An application that builds a record cannot:
what it adds is lost, and a name that is misspelt is lost without a word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import Any

from analyzer import names
from analyzer.record_reasons import Rejected, hints

_NEAR = 0.75


def nearest(name: str, known: Collection[str]) -> str | None:
    """The name among `known` that `name` is most like, if it is like any."""
    near = get_close_matches(_plain(name), sorted(known), n=1, cutoff=_NEAR)
    return near[0] if near else None


def _plain(name: str) -> str:
    """requestId as request_id."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def first_unknown(value: dict[str, Any], kind: type) -> Rejected | None:
    """The first field within `value` that a record of `kind` does not have, with its path."""
    return next(_unknown(value, kind, ""), None)


def _unknown(value: dict[str, Any], kind: type, path: str) -> Iterator[Rejected]:
    known = hints(kind)
    for name, found in value.items():
        if name not in known:
            near = nearest(name, known)
            what = f"did you mean {near}?" if near else "leave it out"
            yield Rejected(f"{path}{names.shown(name)}", f"is no field of the record; {what}")
            continue
        struct, _ = known[name]
        if struct is not None and isinstance(found, dict):
            yield from _unknown(found, struct, f"{path}{name}.")
        elif struct is not None and isinstance(found, list):
            for number, item in enumerate(found):
                if isinstance(item, dict):
                    yield from _unknown(item, struct, f"{path}{name}[{number}].")
