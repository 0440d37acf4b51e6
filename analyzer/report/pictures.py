"""Charts as PNG, for places that run no script: tickets, mails, wikis.

The same specifications as in the page, set beside each other under the names of their routes, in
the colours of the light scheme.
"""

from __future__ import annotations

import json
import re
from typing import Any

import vl_convert

from analyzer.report.dashboard import load_tokens
from analyzer.report.model import Group, Panel, Part

SCALE = 1.5  # pixels a CSS pixel
_VARIABLE = re.compile(r"var\(--(\w+)\)")
_TOP_LEVEL = ("autosize", "config", "data")
_VERSION = "6.4"  # of Vega-Lite, as Altair writes it
_TITLE = {
    "anchor": "start",
    "fontSize": 13,
    "color": "var(--ink)",
    "subtitleColor": "var(--ink2)",
    "subtitleFontSize": 12,
    "limit": 300,
}


def picture(panel: Panel) -> bytes | None:
    """A PNG of everything the panel draws; None where it draws nothing."""
    tokens = load_tokens()["light"]
    specs = [group.spec for group in panel.groups if group.spec]
    if not specs:
        return None
    whole = {
        "vconcat": [_group(panel, group, tokens) for group in panel.groups if group.spec],
        "config": {**_coloured(specs[0]["config"], tokens), "title": _coloured(_TITLE, tokens)},
        "background": tokens["surface"],
        "padding": 12,
    }
    png: bytes = vl_convert.vegalite_to_png(
        json.dumps(whole), vl_version=_VERSION, scale=SCALE, allowed_base_urls=[]
    )
    return png


def _group(panel: Panel, group: Group, tokens: dict[str, str]) -> dict[str, Any]:
    width, columns = (340, 3) if panel.wide else (190, 5) if panel.small else (270, 4)
    spec = _coloured(group.spec, tokens)
    drawn = [part for part in group.parts if part.state == "drawn"]
    whole = {"concat": [_part(spec, part, width) for part in drawn], "columns": columns}
    title = {"text": group.title, "fontSize": 14, "offset": 8} if group.title else None
    return {**whole, "spacing": 24, **({"title": title} if title else {})}


def _part(spec: dict[str, Any], part: Part, width: int) -> dict[str, Any]:
    own = {name: value for name, value in spec.items() if name not in _TOP_LEVEL}
    title = {"text": part.route, "subtitle": part.note or " "}
    return {**own, "width": width, "title": title, "data": {"values": list(part.rows)}}


def _coloured(spec: Any, tokens: dict[str, str]) -> Any:
    """Every value that is a colour variable as its colour."""
    if isinstance(spec, dict):
        return {key: _coloured(value, tokens) for key, value in spec.items()}
    if isinstance(spec, list):
        return [_coloured(each, tokens) for each in spec]
    match = _VARIABLE.fullmatch(spec) if isinstance(spec, str) else None
    return tokens[match[1]] if match else spec
