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
from analyzer.cli import what_if_words
from analyzer.report.dashboard import load_tokens
from analyzer.whatif import flattens_at

_VARIABLE = re.compile(r"var\(--(\w+)\)")
_VERSION = "6.4"  # of Vega-Lite, as Altair writes it
_WIDTH = 380
_HEAD = ("top-k", "tokens", "cost of 1,000", "cited", "expected", "citations", "95% interval")
_STYLE = """
body { font: 15px/1.5 -apple-system, "Segoe UI", Roboto, Arial, sans-serif; color: #1a1d21;
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
figure { display: inline-block; margin: 0 1.5rem 1rem 0; vertical-align: top; }
figcaption { color: #464c54; } svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; } td, th { padding: .15rem .8rem; text-align: right; }
th { border-bottom: 1px solid #d5d9dd; font-weight: 600; }
"""


def write(file: Path, found: pa.Table, span: str) -> None:
    """Put the page under `file`, whole or not at all."""
    rows = found.to_pylist()
    parts = [_route(name, list(own)) for name, own in groupby(rows, lambda row: row["route"])]
    title = escape(f"Top-k tried {span}")
    files.write_text(
        file,
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{title}</h1>\n"
        f"<p>{escape(what_if_words.LIMITS)}</p>\n{''.join(parts)}</body></html>\n",
    )


def _route(name: str, rows: list[dict[str, Any]]) -> str:
    flat = flattens_at(rows, "cited_recall")
    said = f"Recall of cited chunks turns flat at top-k {flat}." if flat else "No cited chunk."
    figures = _figure(rows, flat, "tokens_then", "tokens of chunks a prompt")
    if rows[0]["cost_then"] is not None:
        figures += _figure(rows, flat, "cost_then", "their cost for a thousand prompts")
    return f"<h2>{escape(name)}</h2>\n<p>{said}</p>\n{figures}\n{_table(rows)}\n"


def _figure(rows: list[dict[str, Any]], flat: int | None, x: str, caption: str) -> str:
    drawn = pa.Table.from_pylist(
        [
            {
                "top_k": row["top_k"],
                x: row[x],
                "cited_recall": row["cited_recall"],
                "expected_recall": row["expected_recall_then"],
                "flat": row["top_k"] == flat,
            }
            for row in rows
            if row[x] is not None
        ]
    )
    if not drawn.num_rows:
        return ""
    spoken = escape(recall.describe(drawn, x), quote=True)
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


def _table(rows: list[dict[str, Any]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in _HEAD)
    body = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in _cells(row))}</tr>\n" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def _cells(row: dict[str, Any]) -> list[str]:
    told = row["citations_change"] is not None
    change = what_if_words.fine_change
    return [
        str(row["top_k"]),
        numbers.count(row["tokens_then"]),
        numbers.fine(row["cost_then"]),
        numbers.rate(row["cited_recall"]),
        numbers.rate(row["expected_recall_then"]),
        change(row["citations_change"]) if told else row["verdict"],
        f"{change(row['low'])} to {change(row['high'])}" if told else numbers.UNKNOWN,
    ]
