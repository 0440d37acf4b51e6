"""What a night did, and its summary of five lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from analyzer.nightly.alerts import Alerts
from analyzer.nightly.inputs import Inputs
from analyzer.nightly.looking import Look
from analyzer.nightly.reports import Made
from analyzer.nightly.retention import Held
from analyzer.nightly.webhook import Answer
from analyzer.numbers import counted
from analyzer.sources.waiting import Waiting

if TYPE_CHECKING:
    from analyzer.ingest import Batch

_NAMED = 3
_COUNTS = ("loaded", "duplicate", "superseded", "rejected")


@dataclass(frozen=True)
class Done:
    """A night from its beginning to its end; `told` is None where nobody had to be told.

    `reporting`, `telling`: whether the settings name a folder of reports, and who is told.
    `waiting` are the traces that are not complete.
    """

    began: datetime
    store: str
    store_bytes: int
    inputs: Inputs
    batches: tuple[Batch, ...]
    look: Look
    alerts: Alerts
    reports: tuple[Made, ...]
    held: Held
    told: Answer | None
    written: tuple[str, ...]
    reporting: bool = True
    telling: bool = True
    rehearsed: bool = False
    waiting: Waiting = field(default_factory=Waiting)

    @property
    def files(self) -> dict[str, int]:
        """Files by what became of them."""
        states = [batch.state for batch in self.batches]
        return {
            "new": sum(state in ("loaded", "cut") for state in states) + (self.inputs.rolled or 0),
            "known": self.inputs.known + states.count("known"),
            "set_aside": states.count("set_aside"),
            "set_aside_earlier": self.inputs.set_aside,
            "unreadable": len(self.inputs.unreadable) + states.count("unreadable"),
        }

    @property
    def left_out(self) -> bool:
        """Whether a file was set aside or could not be read."""
        return bool(self.files["set_aside"] or self.files["unreadable"])

    def lines(self, what: str) -> int:
        """Lines of the new files: read, loaded, duplicate, superseded or rejected."""
        return sum(int(getattr(batch, what)) for batch in self.batches)

    def summary(self) -> tuple[str, str, str, str, str]:
        """Files, alarms, reports, the store, who was told."""
        return (
            self._files_line(),
            self._alarms_line(),
            self._reports_line(),
            self._store_line(),
            self._told_line(),
        )

    def _files_line(self) -> str:
        parts = [f"{n:,} {state.replace('_', ' ')}" for state, n in self.files.items() if n]
        if self.inputs.unmatched:
            parts.append(f"{counted(len(self.inputs.unmatched), 'path')} without a file")
        counts = " + ".join(f"{self.lines(word):,} {word}" for word in _COUNTS)
        rehearsed = ", dry run: nothing is kept" if self.rehearsed else ""
        if self.inputs.rolled is not None:
            days = ", ".join(parts) or "none"
            return f"night of {self.look.night.today}{rehearsed}: days of rollups {days}"
        return (
            f"night of {self.look.night.today}{rehearsed}: files {', '.join(parts) or 'none'}; "
            f"{counted(self.lines('read'), 'line')} = {counts}"
        )

    def _alarms_line(self) -> str:
        made = self.alerts
        new = _named([one["alarm"] for one in made.new])
        muted = len(made.alarms) - len(made.loud)
        week = (
            f"{made.tests:,} tests of week {made.week:%G-W%V}" if made.week else "no week is over"
        )
        days = self.look.night.seven_days
        return (
            f"alarms: {len(made.loud)} open, {len(made.new)} new{new}, {len(made.over)} over, "
            f"{muted} muted; {week}, and seven days from {days.first_day}"
        )

    def _reports_line(self) -> str:
        if not self.reporting:
            return "reports: none is made; set report.folder"
        if not self.reports:
            return "reports: none was due"
        names = [f"{one.week:%G-W%V}{' again' if one.again else ''}" for one in self.reports]
        return f"reports: {', '.join(names)}"

    def _store_line(self) -> str:
        sealed = self.held.sealed_before
        facts = f"facts from {self.held.facts_from}" if self.held.facts_from else "no facts"
        before = f", sealed before {sealed}" if sealed else ""
        waits = f"; {told}" if (told := self.waiting.told()) else ""
        return f"store: {self.store}, {self.store_bytes / 1e6:,.1f} MB, {facts}{before}{waits}"

    def _told_line(self) -> str:
        parts = list(self.written)
        if self.told is not None:
            parts.append("webhook" if self.told.taken else f"webhook failed ({self.told.why})")
        nobody = "nobody" if self.telling else "nobody; set alerts.file or webhook.url"
        return f"told: {', '.join(parts) or nobody}"


def _named(ids: Sequence[str]) -> str:
    if not ids:
        return ""
    more = ", ..." if len(ids) > _NAMED else ""
    return f" ({', '.join(ids[:_NAMED])}{more})"
