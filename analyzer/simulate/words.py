"""Made-up prose for records that carry text: no word of it was ever written by anyone.

Near-copies are what a re-crawl leaves: another date in the first line and a few words changed.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from analyzer.simulate.arrays import Strings, running_shares, stream

_OPENINGS = ["b", "br", "d", "f", "g", "k", "kl", "l", "m", "n", "p", "r", "s", "st", "t", "v"]
_VOWELS = ["a", "e", "i", "o", "u", "ai", "eo"]
_CLOSINGS = ["", "", "l", "m", "n", "r", "s", "x"]
_SIZE = 4000  # words
_PER_TOKEN = 0.75  # words
_CHANGED_EVERY = 60  # a near-copy changes one word in so many


@cache
def vocabulary() -> Strings:
    """The made-up words, the most common first; always the same ones."""
    rng = stream(0, "vocabulary")
    words: dict[str, None] = {}
    while len(words) < _SIZE:
        words["".join(_syllable(rng) for _ in range(int(rng.integers(1, 4))))] = None
    return np.array(list(words), dtype=object)


def _syllable(rng: np.random.Generator) -> str:
    parts = (_OPENINGS, _VOWELS, _CLOSINGS)
    return "".join(part[int(rng.integers(len(part)))] for part in parts)


class Prose:
    """The texts of one route's chunks, each made when it is first asked for."""

    def __init__(self, seed: int, route: str) -> None:
        self._seed, self._route = seed, route
        self._cumulative = running_shares([1.0 / rank**0.6 for rank in range(1, _SIZE + 1)])

    def chunk(self, chunk: int, tokens: int, edition: int, exact: bool) -> str:
        """The text of a chunk; edition 0 is the original, which an exact copy repeats."""
        words = self._draw(f"chunk {chunk}", max(3, int(tokens * _PER_TOKEN)))
        shown = 0 if exact else edition
        if shown:
            changed = slice(shown, None, _CHANGED_EVERY)
            words[changed] = self._draw(f"edition {chunk} {shown}", len(words[changed]))
        return f"Edition {shown + 1}. " + " ".join(words) + "."

    def answer(self, name: str, markers: list[int]) -> str:
        """An answer of one sentence a marker, each closed by its `[n]`."""
        words = self._draw(f"answer {name}", 9 * (len(markers) + 1))
        sentences = [" ".join(words[at : at + 9]) for at in range(0, len(words), 9)]
        cited = [f"{text} [{n}]." for text, n in zip(sentences, markers, strict=False)]
        return " ".join([*cited, sentences[-1] + "."])

    def _draw(self, name: str, count: int) -> list[str]:
        rng = stream(self._seed, "words", self._route, name)
        which = np.searchsorted(self._cumulative, rng.random(count))
        picked: list[str] = vocabulary()[which].tolist()
        return picked
