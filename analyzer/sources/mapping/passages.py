"""Passages cut out of one prompt string, where a log keeps no list of texts."""

from __future__ import annotations

import re
from typing import Any

from analyzer.sources.mapping.file import Passages
from analyzer.sources.mapping.paths import rule
from analyzer.sources.rows import Flaw


def passages_of(
    cutting: Passages | None, record: Any, names: dict[str, Any]
) -> tuple[list[str] | None, Flaw | None]:
    """The passages in the order of the prompt; None where the mapping cuts none."""
    if cutting is None:
        return None, None
    prompt = rule(cutting.from_, "passages").of(record, names)
    if not isinstance(prompt, str):
        return [], Flaw("chunks", f"has no texts: there is no prompt at {cutting.from_}")
    for mark, keep in ((cutting.after, 1), (cutting.before, 0)):
        if not mark:
            continue
        parts = prompt.split(mark, 1)
        if len(parts) < 2:
            return [], Flaw("chunks", f"has no texts: the prompt lacks {mark!r}")
        prompt = parts[keep]
    starts = list(re.finditer(cutting.split, prompt))
    ends = [each.start() for each in starts[1:]] + [len(prompt)]
    return [
        prompt[start.end() : end].strip() for start, end in zip(starts, ends, strict=True)
    ], None
