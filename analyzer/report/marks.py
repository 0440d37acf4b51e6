"""Words as Markdown: names from logs as code where something could be read into them."""

from __future__ import annotations

import re

from analyzer.telling.spans import Text

_MEANS_SOMETHING = re.compile(r"[\\`*_{}\[\]<>#!|~$@&]|://|www\.")


def text(words: str) -> str:
    """Words as they are, or as code where Markdown would read something into them."""
    return code(words) if _MEANS_SOMETHING.search(words) else words


def code(words: str) -> str:
    """A code span; its fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    fence = "`" * (longest + 1)
    air = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{fence}{air}{words}{air}{fence}"


def spans(spans: Text) -> str:
    return "".join(code(span.text) if span.kind == "name" else span.text for span in spans)
