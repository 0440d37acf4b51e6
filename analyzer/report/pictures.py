"""Charts as pictures, for places that run no script: tickets, mails, wikis, paper.

The same specifications as in the page, set beside each other under the names of their routes, in
the colours of the light scheme.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import vl_convert

from analyzer.report.dashboard import load_tokens
from analyzer.report.model import Group, Panel, Part

SCALE = 1.5  # pixels a CSS pixel
_VARIABLE = re.compile(r"var\(--(\w+)\)")
_WIDTH = re.compile(r"\bwidth\b")
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
    groups = [group for group in panel.groups if group.spec]
    if not groups:
        return None
    wide = (340, 3) if panel.wide else (190, 5) if panel.small else (270, 4)
    png: bytes = vl_convert.vegalite_to_png(
        _whole(groups, wide), vl_version=_VERSION, scale=SCALE, allowed_base_urls=[]
    )
    return png


def drawing(panel: Panel, group: Group) -> tuple[str, int]:
    """An SVG of one group, and the per cent of a page's width that it takes."""
    width, columns = (300, 2) if panel.wide else (120, 4) if panel.small else (190, 3)
    drawn = sum(part.state == "drawn" for part in group.parts)
    svg: str = vl_convert.vegalite_to_svg(
        _whole([replace(group, title="")], (width, columns)),
        vl_version=_VERSION,
        allowed_base_urls=[],
    )
    return svg, 100 * min(drawn, columns) // columns


def _whole(groups: Sequence[Group], wide: tuple[int, int]) -> str:
    """One specification of all parts; `wide`: pixels of each and how many stand side by side."""
    tokens = load_tokens()["light"]
    spec = next(group.spec for group in groups if group.spec)
    whole = {
        "vconcat": [_group(group, wide, tokens) for group in groups],
        "config": {**_coloured(spec["config"], tokens), "title": _coloured(_TITLE, tokens)},
        "background": tokens["surface"],
        "padding": 12,
    }
    return json.dumps(whole)


def _group(group: Group, wide: tuple[int, int], tokens: dict[str, str]) -> dict[str, Any]:
    width, columns = wide
    spec = _coloured(group.spec, tokens)
    drawn = [part for part in group.parts if part.state == "drawn"]
    whole = {"concat": [_part(spec, part, width) for part in drawn], "columns": columns}
    title = {"text": group.title, "fontSize": 14, "offset": 8} if group.title else None
    return {**whole, "spacing": 24, **({"title": title} if title else {})}


def _part(spec: dict[str, Any], part: Part, width: int) -> dict[str, Any]:
    own = {name: value for name, value in spec.items() if name not in _TOP_LEVEL}
    title = {"text": part.route, "subtitle": part.note or " "}
    return {
        **_sized(own, width),
        "width": width,
        "title": title,
        "data": {"values": list(part.rows)},
    }


def _sized(spec: Any, width: int) -> Any:
    """Expressions over the width with the width itself: beside others it has another name."""
    if isinstance(spec, dict):
        told = spec.get("expr")
        if isinstance(told, str):
            return {**spec, "expr": _WIDTH.sub(str(width), told)}
        return {key: _sized(value, width) for key, value in spec.items()}
    return [_sized(each, width) for each in spec] if isinstance(spec, list) else spec


def _coloured(spec: Any, tokens: dict[str, str]) -> Any:
    """Every value that is a colour variable as its colour."""
    if isinstance(spec, dict):
        return {key: _coloured(value, tokens) for key, value in spec.items()}
    if isinstance(spec, list):
        return [_coloured(each, tokens) for each in spec]
    match = _VARIABLE.fullmatch(spec) if isinstance(spec, str) else None
    return tokens[match[1]] if match else spec
