"""A report as PDF, for those who print: the page's words, tables and drawings, set by typst.

The typst package is an extra; without it there is one sentence. What is said goes to
`dashboards/weekly.typ` as data, never as markup, and nothing in the file tells when it was made.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from analyzer import numbers
from analyzer.errors import CitelogError
from analyzer.report.changed import OPEN
from analyzer.report.dashboard import text_of
from analyzer.report.html import compared, dates
from analyzer.report.model import Changes, Grid, Group, Head, Panel, Report
from analyzer.report.pictures import drawing
from analyzer.telling.findings import Told
from analyzer.telling.spans import Text

Pictures = dict[str, str]  # SVG by the name of its file


def render(report: Report) -> bytes:
    """The PDF. Raises `CitelogError` where the typst package is not there."""
    try:
        import typst
    except ImportError:
        raise CitelogError(
            "a PDF needs the typst package, which is not there; pip install typst brings it, "
            "and -o report.html can be printed without"
        ) from None
    pictures: Pictures = {}
    told = json.dumps(_told(report, pictures))
    with TemporaryDirectory(prefix="citelog-") as name:
        folder = Path(name)
        files = {**pictures, "report.json": told, "weekly.typ": text_of("weekly.typ")}
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        made: bytes = typst.compile(folder / "weekly.typ", root=folder, format="pdf")
    return made


def _told(report: Report, pictures: Pictures) -> dict[str, Any]:
    """All that is printed, as strings; `pictures` is filled with what is drawn."""
    foot = report.foot
    return {
        "name": f"Citations, {numbers.iso_week(report.head.week)}",
        "eyebrow": report.eyebrow,
        "title": _spans(report.changes.title),
        "dates": f"{dates(report)} {compared(report)}",
        **_head(report.head),
        **_changes(report.changes),
        "notes": [
            {"label": note.label, "text": _spans(note.text), "command": note.command}
            for note in report.notes
        ],
        "sections": [
            {
                "title": title,
                "panels": [
                    _panel(panel, report, pictures)
                    for panel in report.panels
                    if panel.section == name
                ],
            }
            for name, title in report.sections
        ],
        "made": [
            f"citelog {foot.version}; {foot.state}. {foot.method}",
            f"Tests: {foot.tests}. {foot.thresholds}",
        ],
        "command": foot.command,
        "definitions": foot.definitions,
    }


def _head(head: Head) -> dict[str, Any]:
    count, lines, totals = numbers.count, head.lines, head.totals
    parts = " + ".join(
        f"{count(lines[name])} {name}" for name in ("loaded", "duplicate", "superseded", "rejected")
    )
    return {
        "totals": [
            ("answers", count(totals["answers"]), f"of {count(totals['requests'])} requests"),
            *((f"{name}", count(totals[name]), "") for name in ("packed", "cited", "stray")),
            ("lines rejected", count(lines["rejected"]), f"of {count(lines['read'])} in all files"),
        ],
        "seen": [(seen.kind, [label for label, _, _ in seen.labels]) for seen in head.seen],
        "lines": f"lines in all files {count(lines['read'])} read = {parts}",
    }


def _changes(changes: Changes) -> dict[str, Any]:
    told = changes.screen
    as_of = f", as of {numbers.iso_week(changes.as_of)}" if changes.as_of else ""
    found = [
        ("", [*told.silent, *told.new]),
        (f"{OPEN}{as_of}", told.open),
        (told.ended_as, told.ended),
    ] if told else []  # fmt: skip
    return {
        "untested": "" if changes.judged else "Only weeks that are over are tested for drift.",
        "findings": [(title, list(map(_finding, some))) for title, some in found if some],
        "asides": [(label, list(map(_spans, texts))) for label, texts in changes.asides],
    }


def _finding(one: Told) -> dict[str, Any]:
    speaks = "For" if one.known else "Moved"
    return {
        "label": one.label,
        "text": _spans(one.text),
        "also": list(map(_spans, one.also)),
        "since": _spans(one.since),
        "cause": _spans(one.cause),
        "reasons": [
            *((speaks, reason) for reason in one.speaks_for),
            *(("Against", reason) for reason in one.speaks_against),
            *(("Said", remark) for remark in one.said),
        ],
        "command": one.command,
    }


def _panel(panel: Panel, report: Report, pictures: Pictures) -> dict[str, Any]:
    left_out = f" {panel.routes_left_out} less busy routes are left out."
    keys = (report.keys[name] for name in panel.key) if panel.drawn else ()
    return {
        "title": _spans(panel.title),
        "caption": panel.caption + (left_out if panel.routes_left_out else ""),
        "key": "; ".join(f"{mark}: {says}" for mark, says in keys),
        "sentences": panel.sentences,
        "message": panel.message,
        "groups": [_group(panel, place, pictures) for place in range(len(panel.groups))],
    }


def _group(panel: Panel, place: int, pictures: Pictures) -> dict[str, Any]:
    group, file, width = panel.groups[place], "", 0
    if group.spec:
        file = f"{panel.name}-{place}.svg"
        pictures[file], width = drawing(panel, group)
    return {
        "title": group.title,
        "caption": group.caption,
        "picture": file,
        "width": width,
        "told": list(_said(group)),
        "tables": [_grid(caption, grid) for caption, grid in group.printed],
    }


def _said(group: Group) -> Iterator[tuple[str, str]]:
    """What stands under the drawings, route by route, and why some have none."""
    for part in group.parts:
        words = "; ".join(part.remarks) if part.state == "drawn" else part.message
        if words:
            yield part.route, words


def _grid(caption: str, grid: Grid) -> dict[str, Any]:
    more = f"{numbers.count(grid.left_out)} more rows in the JSON form." if grid.left_out else ""
    return {
        "caption": caption,
        "headings": grid.headings,
        "kinds": grid.kinds,
        "rows": grid.rows,
        "left_out": more,
    }


def _spans(text: Text) -> list[tuple[str, str]]:
    return [(span.kind, span.text) for span in text]
