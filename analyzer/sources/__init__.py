"""From the bytes of a log file, whatever its format, to JSON lines that each know their place."""

from analyzer.sources.aside import Incomplete
from analyzer.sources.asking import Asking
from analyzer.sources.content import Format
from analyzer.sources.finding import expand
from analyzer.sources.lines import Lines, Refused
from analyzer.sources.opening import MAX_LINE_BYTES, asked, open_source, sampled
from analyzer.sources.source import Source

__all__ = [
    "MAX_LINE_BYTES",
    "Asking",
    "Format",
    "Incomplete",
    "Lines",
    "Refused",
    "Source",
    "asked",
    "expand",
    "open_source",
    "sampled",
]
