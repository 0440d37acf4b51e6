"""Words as Markdown: what something could be read into stands as code, and nothing else does."""

from __future__ import annotations

import re

from analyzer.telling.spans import Text

_MEANS_SOMETHING = re.compile(r"[\\`*_{}\[\]>#!|~$@]|&(?=[\w#])|<(?![\d.\s]|$)|://|www\.")
_WORD = re.compile(r"(?P<opened>[(\"']?)(?P<word>\S*?[^\s.,:;)\"'])(?P<closed>[.,:;)\"']*)(?=\s|$)")


def text(words: str) -> str:
    """Prose as it is; of its words those as code that Markdown would read something into."""
    return _WORD.sub(_marked, words) if _MEANS_SOMETHING.search(words) else words


def _marked(found: re.Match[str]) -> str:
    word = found["word"]
    marked = code(word) if _MEANS_SOMETHING.search(word) else word
    return f"{found['opened']}{marked}{found['closed']}"


def code(words: str) -> str:
    """A code span; its fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    fence = "`" * (longest + 1)
    air = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{fence}{air}{words}{air}{fence}"


def spans(spans: Text) -> str:
    return "".join(code(span.text) if span.kind == "name" else text(span.text) for span in spans)
