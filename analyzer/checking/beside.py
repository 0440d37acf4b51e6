"""Whether a marker points to the chunk that its sentence speaks of.

Where a log carries answers and texts, the content words before a marker [n] are compared with the
chunk that the prompt called n, and with its neighbours and the chunk of rank n. One citation says
nothing, as chunks resemble each other; many do. Each request casts one vote between its chunk
and another reading, so that a long answer counts once, and a sign test decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer import markers, text
from analyzer.checking.found import Fault, Finding, Tally, Unchecked
from analyzer.checking.reading import Block
from analyzer.record import Chunk, Request

LEAST = 20  # votes
LEAST_SHARE = 0.6
LEVEL = 0.001
MOST = 3000  # requests that are looked at; more cost time and change nothing
FEWEST_WORDS = 3
SHORTEST_WORD = 4

_COSTS = "citations are counted for other chunks than the ones that were used"
_FAULTS = {
    "next": Fault(
        "markers_off_by_one",
        98,
        "the text beside marker n fits the chunk after it better",
        _COSTS,
        "markers seem to count from one less than positions do; give --marker-base 0, or log what "
        "the prompt called each chunk as its `marker`",
    ),
    "previous": Fault(
        "markers_off_by_one",
        98,
        "the text beside marker n fits the chunk before it better",
        _COSTS,
        "markers seem to count from one more than positions do; log what the prompt called each "
        "chunk as its `marker`",
    ),
    "rank": Fault(
        "numbered_before_reordering",
        98,
        "the text beside marker n fits the chunk of rank n better than the one at position n",
        _COSTS,
        "the chunks were numbered before they were reordered; number them after it, or log what "
        "the prompt called each chunk as its `marker`",
    ),
}


@dataclass
class _Votes:
    """Requests whose citations fit another reading better, or the log's own."""

    other: Tally
    own: int = 0

    def significant(self) -> bool:
        votes = self.other.count + self.own
        share = self.other.count / votes if votes else 0.0
        enough = votes >= LEAST and share >= LEAST_SHARE
        return enough and _tail(self.other.count, votes) * len(_FAULTS) < LEVEL


class Beside:
    """Votes for each other reading of the markers."""

    def __init__(self) -> None:
        self._votes = {reading: _Votes(Tally()) for reading in _FAULTS}
        self._looked_at = 0

    def see(self, block: Block) -> None:
        """Let the requests of a block vote, as long as there are not plenty."""
        for index, request in enumerate(block.requests):
            if self._looked_at >= MOST:
                return
            if request.answer and any(chunk.text for chunk in request.chunks):
                self._vote(_margins(request, block.base), block.place(index))

    def _vote(self, margins: Mapping[str, int], place: str) -> None:
        self._looked_at += bool(margins)
        for reading, margin in margins.items():
            if margin > 0:
                self._votes[reading].other.add(1, 0, place)
            elif margin < 0:
                self._votes[reading].own += 1

    def findings(self) -> Iterator[Finding]:
        """The reading that fits best, where one fits better than the log's own."""
        better = {name: votes for name, votes in self._votes.items() if votes.significant()}
        if better:
            name = max(better, key=lambda each: better[each].other.count - better[each].own)
            better[name].other.of = better[name].other.count + better[name].own
            yield from better[name].other.found(_FAULTS[name], "answers that fit one better")

    def unchecked(self) -> Iterator[Unchecked]:
        """Too few votes for a verdict."""
        most = max(votes.other.count + votes.own for votes in self._votes.values())
        if most < LEAST:
            yield Unchecked(
                "markers",
                f"whether [n] markers point to the right chunk: {most} answers could be held "
                f"against the texts of their chunks, and {LEAST} are needed",
            )


def _margins(request: Request, base: int) -> dict[str, int]:
    """By reading: citations that fit it better than the log's own, minus those that fit worse."""
    called, ranked = _called(request.chunks, base), _ranked(request.chunks, base)
    packed = [*called.values(), *ranked.values()]
    words = {id(chunk): _content(chunk.text or "") for chunk in packed}
    margins: dict[str, int] = {}
    for said, cited in markers.sentences(request.answer or ""):
        asked = _content(said)
        if len(asked) < FEWEST_WORDS:
            continue
        fits = {key: _fit(asked, own, words) for key, own in words.items()}
        for number in cited:
            _compare(number, called, ranked, fits, margins)
    return margins


def _compare(
    number: int,
    called: Mapping[int, Chunk],
    ranked: Mapping[int, Chunk],
    fits: Mapping[int, float],
    margins: dict[str, int],
) -> None:
    if number not in called:
        return
    own = called[number]
    others = {"next": called.get(number + 1), "previous": called.get(number - 1)}
    others["rank"] = ranked.get(number)
    for reading, other in others.items():
        if other is not None and other is not own:
            lead = fits[id(other)] - fits[id(own)]
            margins[reading] = margins.get(reading, 0) + (lead > 0) - (lead < 0)


def _called(chunks: Sequence[Chunk], base: int) -> dict[int, Chunk]:
    """Packed chunks by what the prompt calls them."""
    called = {}
    for chunk in chunks:
        if chunk.position is not None:
            name = chunk.position + base - 1 if chunk.marker is None else chunk.marker
            called[name] = chunk
    return called


def _ranked(chunks: Sequence[Chunk], base: int) -> dict[int, Chunk]:
    """Packed chunks by what they would be called in the order of ranks; none where one has none."""
    packed = [chunk for chunk in chunks if chunk.position is not None]
    if any(chunk.rank is None for chunk in packed):
        return {}
    return dict(enumerate(sorted(packed, key=lambda chunk: chunk.rank or 0), base))


def _content(said: str) -> frozenset[str]:
    """The words that may tell chunks apart; pairs of characters where a text has no spaces."""
    normal = text.normalise(said)
    if " " not in normal:
        return frozenset(normal[start : start + 2] for start in range(len(normal) - 1))
    words = normal.split(" ")
    return frozenset(word for word in words if len(word) >= SHORTEST_WORD or word.isdigit())


def _fit(asked: frozenset[str], own: frozenset[str], words: Mapping[int, frozenset[str]]) -> float:
    """Words of the sentence that stand in a chunk, each worth less the more chunks hold it."""
    return sum(1 / sum(word in held for held in words.values()) for word in asked & own)


def _tail(wins: int, votes: int) -> float:
    """Chance of at least so many wins where each vote is a fair coin."""
    if votes > 1000:
        return 0.5 * math.erfc((wins - 0.5 - votes / 2) / math.sqrt(votes / 2))
    ways = sum(math.comb(votes, k) for k in range(wins, votes + 1))
    return ways / 2.0**votes
