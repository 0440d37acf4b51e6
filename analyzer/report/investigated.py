"""An investigation as a page of its own: no script, nothing loaded, every name escaped."""

from __future__ import annotations

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from analyzer.oncall.told import Told
from analyzer.report.dashboard import text_of
from analyzer.report.html import marked, policy, style_sheet


def page(told: Told) -> str:
    """The page; the same investigation gives the same text."""
    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    style = style_sheet()
    template = environment.from_string(text_of("investigation.html.j2"))
    return template.render(
        told=told, style=Markup(style), policy=policy([], style), marked=marked
    ).lstrip()
