"""Fields that an application logged and no longer does.

The weekly measures watch the share that lacks a field too, from 500 requests a week on; here one
day is enough, and a small route counts.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analyzer.config import Volume
from analyzer.nightly.calendar import Night, words
from analyzer.nightly.silence.judged import Judged, Standing
from analyzer.watch.raising import Raising

# field: how its absence is counted, of what, and the weekly measure that watches it too
FIELDS = {
    "model": ("missing_model", "requests", None),
    "release": ("missing_release", "requests", None),
    "prompt_version": ("missing_prompt_version", "requests", None),
    "index_version": ("missing_index_version", "requests", None),
    "unit_id": ("missing_unit", "requests", "missing_unit_rate"),
    "prompt_tokens": ("missing_prompt_tokens", "requests", "missing_prompt_tokens_rate"),
    "cited": ("missing_citations", "answers", "missing_citations_rate"),
    "rank": ("missing_rank", "packed", "missing_rank_rate"),
    "tokens": ("missing_tokens", "packed", "missing_tokens_rate"),
    "doc_id": ("missing_document", "packed", "missing_document_rate"),
    "text": ("missing_text", "packed", "missing_text_rate"),
}
_CALLED = {"requests": "requests", "answers": "answers", "packed": "packed chunks"}

Rows = Sequence[Mapping[str, Any]]


def vanished_fields(
    rows: Rows, night: Night, standing: Standing, volume: Volume
) -> Iterator[Judged]:
    """Each field of each route: the last day against the days before."""
    for route in sorted({row["route"] for row in rows}):
        mine = [row for row in rows if row["route"] == route]
        last = [row for row in mine if row["day"] == night.last_day]
        before = [row for row in mine if row["day"] < night.last_day]
        for field, (missing, of, measure) in FIELDS.items():
            now = _share(last, missing, of, volume.least_fields)
            usual = _share(before, missing, of, volume.least_fields)
            raised = standing.get((route, f"missing_{field}"))
            holds = _has_vanished(now, usual, raised, volume)
            told = _told(route, field, now or 0, usual or 0, night)
            yield Judged(route, f"no-{field}", holds, told, measure)


def _has_vanished(
    now: float | None, usual: float | None, raised: Raising | None, volume: Volume
) -> bool | None:
    """What was missing all the time that is looked at is no longer news."""
    if now is None or usual is None:
        return None
    if raised is not None:
        return None if usual < volume.vanished <= now else False
    return usual <= volume.usually_missing and now >= volume.vanished


def _told(route: str, field: str, now: float, usual: float, night: Night) -> Raising:
    of = _CALLED[FIELDS[field][1]]
    return Raising(
        measure=f"missing_{field}",
        sentence=f"{route}: {now:.1%} of its {of} of {words(night.last_day)} carry no {field}; "
        f"before it was {usual:.1%}",
        command=f"citelog query data_quality --param week={night.monday} "
        f"--param route={shlex.quote(route)}",
        usual=usual,
    )


def _share(rows: Rows, part: str, of: str, least: int) -> float | None:
    total = sum(row[of] for row in rows)
    return sum(row[part] for row in rows) / total if total >= least else None
