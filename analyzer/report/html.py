"""A report as one HTML file that opens offline, from a mail, on a phone and on paper.

Everything stands inside: style, script, data. A Content-Security-Policy names the hashes of the
scripts and the style, so that nothing else can run, whatever the logs contain, and nothing is
loaded from anywhere. Names from logs pass through the template's escaping, never around it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from datetime import timedelta
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from analyzer import numbers
from analyzer.report import drawings
from analyzer.report.dashboard import load_tokens, text_of
from analyzer.report.model import Report
from analyzer.report.script import chart_script
from analyzer.telling.spans import Text, plain

_WEEK = re.compile(r"(\d{4}-W\d\d)")


def render(report: Report) -> str:
    """The page. The same report gives the same text, byte for byte."""
    style, charts, boot = style_sheet(), chart_script(), text_of("boot.js")
    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters |= {
        "plain": plain,
        "count": numbers.count,
        "day": numbers.day,
        "week": numbers.iso_week,
    }
    template = environment.from_string(text_of("weekly.html.j2"))
    page = template.render(
        report=report,
        title=f"Citations, {numbers.iso_week(report.head.week)}",
        policy=policy([charts, boot], style),
        style=Markup(style),
        charts=Markup(charts),
        boot=Markup(boot),
        drawings=_inline(drawings.packed(report)),
        chart_id=drawings.chart_id,
        spans=marked,
        dates=dates(report),
        compared=compared(report),
    )
    return page.lstrip()


def style_sheet() -> str:
    """`style.css` with the colours of both schemes as variables."""
    tokens = load_tokens()
    light, dark = (
        "".join(f"--{role}:{colour};" for role, colour in tokens[scheme].items())
        for scheme in ("light", "dark")
    )
    css = text_of("style.css").replace("/* light */", light).replace("/* dark */", dark)
    return css


def policy(scripts: list[str], style: str) -> str:
    """A Content-Security-Policy under which these scripts and this style run and nothing else."""
    run = " ".join(map(_hash, scripts)) or "'none'"
    return (
        f"default-src 'none'; script-src {run}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _inline(data: Any) -> Markup:
    """JSON that no text inside can end early: every character that HTML minds is escaped."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def marked(text: Text) -> Markup:
    """A sentence as markup; every name in it is escaped."""
    return Markup("").join(_span(span.text, span.kind) for span in text)


def _span(text: str, kind: str) -> Markup:
    if kind == "name":
        return Markup('<bdi class="name">{}</bdi>').format(text)
    if kind == "interval":
        return Markup('<span class="interval">{}</span>').format(text)
    return _unbroken(text)


def _unbroken(text: str) -> Markup:
    """Plain words, a week such as 2026-W47 on one line."""
    parts = _WEEK.split(text)
    kept = Markup('<span class="whole">{}</span>')
    return Markup("").join(kept.format(part) if at % 2 else part for at, part in enumerate(parts))


def dates(report: Report) -> str:
    """Which week, and whether every day of it has requests."""
    week = report.head.week
    last = week + timedelta(days=6)
    span = f"{numbers.days(week, last)} {last.year}"
    if report.head.complete:
        return f"Week {week.isocalendar().week}, {span}; every day has requests."
    return f"Week {week.isocalendar().week}, {span}; incomplete."


def compared(report: Report) -> str:
    """The weeks that make the baseline."""
    have, of = report.head.baseline
    if not have:
        return "There are no earlier weeks to set it beside."
    first = report.head.week - timedelta(weeks=of)
    last = report.head.week - timedelta(weeks=1)
    stretch = f"{numbers.week(first)} to {numbers.week(last)}"
    missing = "" if have == of else f", {have} of them with data"
    return f"Beside it the {of} weeks before ({stretch}{missing})."
