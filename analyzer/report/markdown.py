"""A report as Markdown with pictures beside it, for a ticket or a wiki.

Names from logs that could mean something to Markdown are put in code spans, where nothing does.
Long tables behind a picture stay out; the JSON form holds every row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from analyzer import numbers
from analyzer.report import changed
from analyzer.report.marks import code, spans, text
from analyzer.report.model import Grid, Group, Head, Note, Panel, Report
from analyzer.report.pictures import picture
from analyzer.telling.spans import plain

ALTERNATIVE_AT_MOST = 400
_MARKUP = re.compile(r"[\[\]()<>`\\!&]")


def write(report: Report, path: Path) -> list[Path]:
    """Write the report to `path` and its pictures beside it; gives back every file written."""
    pictures = {panel.name: png for panel in report.panels if (png := picture(panel))}
    files = {name: path.with_name(f"{path.stem}-{name}.png") for name in pictures}
    for name, file in files.items():
        file.write_bytes(pictures[name])
    path.write_text(render(report, {name: file.name for name, file in files.items()}), "utf-8")
    return [path, *files.values()]


def render(report: Report, pictures: dict[str, str]) -> str:
    """The Markdown text; `pictures` names the file of each panel that has one."""
    blocks = [
        f"# {spans(report.changes.title)}",
        *_head(report.head),
        *changed.blocks(report.changes),
        *(_note(note) for note in report.notes),
    ]
    for name, title in report.sections:
        blocks.append(f"## {title}")
        for panel in (panel for panel in report.panels if panel.section == name):
            blocks += _panel(panel, pictures.get(panel.name), report.keys)
    return "\n\n".join(filter(None, [*blocks, *_foot(report)])) + "\n"


def _head(head: Head) -> Iterator[str]:
    lines, totals = head.lines, head.totals
    complete = "every day has requests" if head.complete else "incomplete"
    yield f"Week {numbers.iso_week(head.week)}; {complete}."
    yield (
        f"{numbers.counted(int(totals['requests']), 'request')}; "
        f"{numbers.counted(int(totals['answers']), 'answer')} with known citations: "
        f"{numbers.count(totals['packed'])} chunks packed, "
        f"{numbers.count(totals['cited'])} cited, {numbers.count(totals['stray'])} stray "
        f"citations. Lines in all files: {numbers.count(lines['read'])} read = "
        f"{numbers.count(lines['loaded'])} loaded + {numbers.count(lines['duplicate'])} duplicate "
        f"+ {numbers.count(lines['superseded'])} superseded + "
        f"{numbers.count(lines['rejected'])} rejected."
    )
    for seen in head.seen:
        names = ", ".join(code(label) for label, _, _ in seen.labels)
        more = f" and {seen.left_out} more" if seen.left_out else ""
        yield f"{seen.kind.capitalize()}: {names}{more}"


def _note(note: Note) -> str:
    return f"- **{note.label}.** {spans(note.text)}\n  {code(note.command)}"


def _panel(panel: Panel, picture: str | None, keys: dict[str, tuple[str, str]]) -> Iterator[str]:
    yield f"### {spans(panel.title)}"
    left_out = f" {panel.routes_left_out} less busy routes are left out."
    yield panel.caption + (left_out if panel.routes_left_out else "")
    yield from map(text, panel.sentences)
    if panel.message:
        yield f"> {text(panel.message)}"
    if picture:
        yield f"![{_alternative(panel)}]({picture})"
        yield "; ".join(f"{mark}: {says}" for mark, says in map(keys.__getitem__, panel.key))
    for group in panel.groups:
        yield from _group(panel, group)


def _group(panel: Panel, group: Group) -> Iterator[str]:
    without = [part for part in group.parts if part.state != "drawn"]
    if without:
        title = f"{group.title}: " if group.title else ""
        yield title + "; ".join(f"{code(part.route)}: {text(part.message)}" for part in without)
    remarked = [part for part in group.parts if part.remarks]
    yield "\n".join(f"- {code(part.route)}: {text('; '.join(part.remarks))}" for part in remarked)
    for caption, grid in group.printed:
        heading = " ".join(filter(None, (group.title, caption and code(caption))))
        yield (f"{heading}\n\n" if heading else "") + table(grid)


def _foot(report: Report) -> Iterator[str]:
    foot = report.foot
    yield "## How this was made"
    yield f"citelog {text(foot.version)}; {text(foot.state)}. {foot.method}"
    yield f"Tests: {foot.tests}. {foot.thresholds}"
    if foot.command:
        yield code(foot.command)
    yield "\n".join(f"- {word}: {meaning}" for word, meaning in foot.definitions)


def table(grid: Grid) -> str:
    """A table in the form that GitHub and GitLab know."""
    head = [_row(tuple(text(heading) for heading in grid.headings))]
    rule = [_row(tuple("---:" if kind == "number" else "---" for kind in grid.kinds))]
    rows = [_row(tuple(text(cell) for cell in row)) for row in grid.rows]
    more = (
        [f"\n{numbers.count(grid.left_out)} more rows in the JSON form."] if grid.left_out else []
    )
    return "\n".join([*head, *rule, *rows, *more])


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _alternative(panel: Panel) -> str:
    """The finding and what is drawn, short enough to be read out, and nothing but letters."""
    said = [
        f"{part.route}: {part.alternative}"
        for group in panel.groups
        for part in group.parts
        if part.state == "drawn"
    ]
    words = _MARKUP.sub(" ", f"{plain(panel.title)}. {'; '.join(said)}")
    return words if len(words) <= ALTERNATIVE_AT_MOST else f"{words[:ALTERNATIVE_AT_MOST]}…"
