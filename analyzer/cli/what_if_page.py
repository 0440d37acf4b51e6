"""A sweep as one page that opens offline: recall over tokens and over money, and every figure."""

from __future__ import annotations

import json
import re
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import vl_convert

from analyzer import files, numbers
from analyzer.charts import recall
from analyzer.cli import what_if_swept, what_if_words
from analyzer.cli.what_if_swept import Kind
from analyzer.report.dashboard import load_tokens
from analyzer.whatif import flattens_at

_VARIABLE = re.compile(r"var\(--(\w+)\)")
_VERSION = "6.4"  # of Vega-Lite, as Altair writes it
_WIDTH = 380
_HEAD = ("tokens", "cost of 1,000", "cited", "expected", "citations", "95% interval")
_STYLE = """
body { font: 15px/1.5 -apple-system, "Segoe UI", Roboto, Arial, sans-serif; color: #1a1d21;
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
figure { display: inline-block; margin: 0 1.5rem 1rem 0; vertical-align: top; width: 25rem;
  max-width: 100%; }
figcaption { color: #464c54; } svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; } td, th { padding: .15rem .8rem; text-align: right; }
th { border-bottom: 1px solid #d5d9dd; font-weight: 600; }
"""


def write(file: Path, found: pa.Table, span: str, kind: Kind) -> None:
    """Put the page under `file`, whole or not at all."""
    rows = found.to_pylist()
    parts = [_route(name, list(own), kind) for name, own in groupby(rows, lambda r: r["route"])]
    title = escape(f"{kind.tried[0].upper()}{kind.tried[1:]} tried {span}")
    limits = escape(f"{what_if_words.LIMITS} {kind.note}")
    files.write_text(
        file,
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{title}</h1>\n"
        f"<p>{limits}</p>\n{''.join(parts)}</body></html>\n",
    )


def _route(name: str, rows: list[dict[str, Any]], kind: Kind) -> str:
    flat = flattens_at(rows, "cited_recall")
    found = what_if_swept.found(rows, kind)
    said = " ".join(f"{line[0].upper()}{line[1:]}." for line in found) or "No cited chunk."
    if all(row["citations_change"] is None for row in rows):
        said += f" No change of citations is told ({rows[0]['verdict']}): {rows[0]['sentence']}"
    drawn = [{**row, "at": kind.at(row), "flat": row is flat} for row in rows]
    figures = _figure(drawn, kind, "tokens_then", "tokens of chunks a prompt")
    figures += _figure(drawn, kind, "cost_then", "their cost for a thousand prompts")
    return f"<h2>{escape(name)}</h2>\n<p>{escape(said)}</p>\n{figures}\n{_table(rows, kind)}\n"


def _figure(rows: list[dict[str, Any]], kind: Kind, x: str, caption: str) -> str:
    drawn = pa.Table.from_pylist(
        [
            {
                "at": row["at"],
                x: row[x],
                "cited_recall": row["cited_recall"],
                "expected_recall": row["expected_recall_then"],
                "flat": row["flat"],
            }
            for row in rows
            if row[x] is not None
        ]
    )
    if not drawn.num_rows:
        return ""
    spoken = escape(recall.describe(drawn, x, kind.name), quote=True)
    said = f"Cited chunks in the prompt, and expected ones dashed, over {caption}"
    return (
        f'<figure role="img" aria-label="{spoken}">{_svg(drawn, x)}'
        f"<figcaption>{said}</figcaption></figure>\n"
    )


def _svg(drawn: pa.Table, x: str) -> str:
    spec = {**recall.chart(drawn, x).to_dict(), "width": _WIDTH}
    colours = load_tokens()["light"]
    text = _VARIABLE.sub(lambda found: colours[found[1]], json.dumps(spec))
    svg: str = vl_convert.vegalite_to_svg(text, vl_version=_VERSION, allowed_base_urls=[])
    return svg


def _table(rows: list[dict[str, Any]], kind: Kind) -> str:
    head = "".join(f"<th>{name}</th>" for name in (kind.name, *_HEAD))
    cells = ([kind.at(row), *_cells(row)] for row in rows)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def _cells(row: dict[str, Any]) -> list[str]:
    told = row["citations_change"] is not None
    change = what_if_words.fine_change
    return [
        numbers.count(row["tokens_then"]),
        numbers.fine(row["cost_then"]),
        numbers.rate(row["cited_recall"]),
        numbers.rate(row["expected_recall_then"]),
        change(row["citations_change"]) if told else numbers.UNKNOWN,
        f"{change(row['low'])} to {change(row['high'])}" if told else numbers.UNKNOWN,
    ]
