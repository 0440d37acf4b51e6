"""The spans of one trace as a tree: its root, and which spans stand within others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from analyzer.sources import values
from analyzer.sources.formats.seen import Seen


class Tree:
    """The spans of one trace, in the order of their starts.

    `whole` says whether a span without a parent is among them: one whose parent is elsewhere, or
    not yet written, may be all that came. `linked` says whether every parent is among them.
    """

    def __init__(self, spans: Sequence[Seen]) -> None:
        once = {span.id or f"#{at}": span for at, span in enumerate(spans)}
        self.spans = sorted(once.values(), key=_start)
        self._by_id = once
        roots = [span for span in self.spans if span.parent is None]
        self.whole = bool(roots)
        self.linked = all(span.parent is None or span.parent in once for span in self.spans)
        tops = roots or [span for span in self.spans if span.parent not in once]
        self.root = tops[0] if tops else self.spans[0]

    def of(self, kind: Callable[[Seen], bool]) -> list[Seen]:
        """The spans of a kind, in time order."""
        return [span for span in self.spans if kind(span)]

    def outermost(self, chosen: Sequence[Seen]) -> list[Seen]:
        """The chosen spans that stand within no other chosen one."""
        names = {span.id for span in chosen}
        return [span for span in chosen if not self._within(span, names)]

    @property
    def route(self) -> str | None:
        """The route that an attribute of the root names, else one of another span."""
        return next((span.route for span in (self.root, *self.spans) if span.route), None)

    def _within(self, span: Seen, names: set[str]) -> bool:
        seen = {span.id}
        parent = span.parent
        while parent is not None and parent not in seen:
            if parent in names:
                return True
            seen.add(parent)
            above = self._by_id.get(parent)
            parent = above.parent if above else None
        return False

    @property
    def started(self) -> str | None:
        """When the root started, as RFC 3339."""
        return values.time(self.root.start)


def _start(span: Seen) -> tuple[str, str]:
    """Starts of one file are written alike: counts of nanoseconds, or RFC 3339."""
    return str(_plain(span.start)), span.id


def _plain(start: Any) -> Any:
    if isinstance(start, int):
        return f"{start:020d}"
    return start.zfill(20) if isinstance(start, str) and start.isdigit() else start
