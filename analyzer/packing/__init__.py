"""Packing inside an application: which of the ranked candidates go into the prompt, and why.

Filter, then pack, then order. A prompt that is ordered first and cut to its budget afterwards loses
what stands at its end, and under edges first that is the second-best chunk; here what does not fit
is always the lowest rank, and order is decided last. Needs neither database nor charts.
"""

from analyzer.packing.diversity import diverse
from analyzer.packing.likeness import Likeness, by_embedding, by_signature, by_text
from analyzer.packing.neighbours import with_neighbours
from analyzer.packing.rules import Rules
from analyzer.packing.tokenizing import tiktoken_counter
from analyzer.packing.walk import Decision, Packing, pack

__all__ = [
    "Decision",
    "Likeness",
    "Packing",
    "Rules",
    "by_embedding",
    "by_signature",
    "by_text",
    "diverse",
    "pack",
    "tiktoken_counter",
    "with_neighbours",
]
