"""`dashboards/causes.md` as it follows from `dashboards/causes.toml`, for people to read.

python tests/causes_page.py writes it again after the table was changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from analyzer.assets import shipped
from analyzer.watch.cause_table import CauseRow, CauseTable, FactRow, read

TABLE, PAGE = "causes.toml", "causes.md"


def page(path: Path) -> str:
    """The page of a table."""
    table = read(path)
    parts = [
        "# What an alarm is put down to",
        f"Made from `{TABLE}`, which the program reads; change that and make this again.",
        preface(path),
        "## Facts",
        "| fact | what is held side by side | over | moves from |\n|---|---|---|---|\n"
        + "\n".join(fact_line(name, row) for name, row in table.facts.items()),
        "## Causes",
        *(cause_section(row, table) for row in table.causes),
    ]
    return "\n\n".join(parts) + "\n"


def preface(path: Path) -> str:
    """The comment that the table begins with."""
    lines = path.read_text(encoding="utf-8").splitlines()
    told = [line.removeprefix("#") for line in lines[: next_blank(lines)]]
    return "\n".join(line.removeprefix(" ") for line in told)


def next_blank(lines: list[str]) -> int:
    return next(number for number, line in enumerate(lines) if not line.startswith("#"))


def fact_line(name: str, row: FactRow) -> str:
    """One row of the table of facts."""
    share = f" (`{row.part}` of `{row.of}`)" if row.part else ""
    meaning = f"; {row.meaning}" if row.meaning else ""
    least = f"{100 * row.least:g} %" if row.relative else f"{row.least:g}"
    return f"| `{name}` | {row.title}{share}{meaning} | {row.base} | {least if row.least else ''} |"


def cause_section(row: CauseRow, table: CauseTable) -> str:
    """One cause with its signature."""
    needs = "; or ".join(listed(group) for group in row.needs)
    return "\n".join(
        [
            f"### {row.title} (`{row.code}`)\n",
            f"- known by: {listed(row.moves)}; can also move, for {table.also_costs} points less: "
            f"{listed(row.also)}",
            f"- needs: {needs}",
            f"- speaks for it: {weighed(row.for_)}",
            f"- speaks against it: {weighed(row.against)}",
            f"- more: `{row.next}`",
            *([f"- to do: {row.to_do}"] if row.to_do else []),
        ]
    )


def listed(texts: Iterable[str]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


def weighed(conditions: Mapping[str, int]) -> str:
    return ", ".join(f"`{text}` {points}" for text, points in conditions.items())


if __name__ == "__main__":
    folder = shipped("dashboards")
    (folder / PAGE).write_text(page(folder / TABLE), encoding="utf-8")
