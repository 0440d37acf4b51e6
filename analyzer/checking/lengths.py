"""Token counts that were not counted: below their sum, round, or a quarter of the characters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from analyzer.checking.found import Fault, Finding, Tally
from analyzer.checking.reading import Block

LEAST = 100  # chunks that show a habit
ROUND, ROUND_SHARE = 10, 0.9
SAME_SHARE = 0.95

_BELOW = Fault(
    "prompt_tokens_below_chunks",
    50,
    "`prompt_tokens` is less than the sum of the packed chunks' `tokens`",
    "the prompt was cut, or the two are counted with different tokenizers",
    "count both with the production tokenizer; if they are, raise the prompt's limit",
)
_ESTIMATED = Fault(
    "tokens_estimated",
    40,
    "`origins` says that tokens are estimated",
    "lengths, budgets and money are as wrong as the estimate",
    "count with the production tokenizer",
)
_ROUND = Fault(
    "tokens_round",
    45,
    "`tokens` is a multiple of ten",
    "one in ten would be: these are estimates, and lengths and money are as wrong as they are",
    "count with the production tokenizer",
)
_QUARTER = Fault(
    "tokens_from_characters",
    45,
    "`tokens` is a quarter of the text's characters",
    "an estimate that is off by half in other languages and code: lengths and money are too",
    "count with the production tokenizer",
)
_WORDS = Fault(
    "tokens_from_words",
    45,
    "`tokens` is the number of the text's words",
    "words are fewer than tokens: lengths, budgets and money are too low",
    "count with the production tokenizer",
)


class Lengths:
    """Counts of token counts that look made up."""

    def __init__(self) -> None:
        self._below, self._estimated, self._round = Tally(), Tally(), Tally()
        self._quarter, self._words = Tally(), Tally()
        self._several = False  # whether chunks differ in length at all
        self._first: int | None = None

    def see(self, block: Block) -> None:
        """Hold counts against texts."""
        for index, request in enumerate(block.requests):
            told = [
                (chunk.tokens, chunk.text)
                for chunk in request.chunks
                if chunk.text and chunk.tokens is not None
            ]
            if told:
                quarters = sum(abs(tokens - len(text) / 4) < 1 for tokens, text in told)
                words = sum(tokens == len(text.split()) for tokens, text in told)
                self._quarter.add(quarters, len(told), block.place(index))
                self._words.add(words, len(told), block.place(index))

    def count(self, block: Block) -> None:
        """Count the facts of a block."""
        asked = block.facts.requests
        compared = (asked["prompt_tokens"] >= 0) & (asked["context_tokens"] >= 0)
        self._below.add_all(compared & asked["prompt_cut"], compared, block.place)
        estimated = asked["tokens_origin"] == "estimated"
        self._estimated.add_all(estimated, np.ones_like(estimated), block.place)
        tokens = block.facts.chunks["tokens"]
        known = tokens[tokens > 0]
        self._round.count += int((known % ROUND == 0).sum())
        self._round.of += len(known)
        if len(known):
            self._first = int(known[0]) if self._first is None else self._first
            self._several |= bool((known != self._first).any())

    def findings(self) -> Iterator[Finding]:
        """Prompts below their chunks; habits only where there are chunks enough to show one."""
        yield from self._below.found(_BELOW, "requests with both")
        yield from self._estimated.found(_ESTIMATED, "requests")
        if self._round.of >= LEAST and self._several and self._round.share >= ROUND_SHARE:
            yield from self._round.found(_ROUND, "chunks")
        for tally, fault in ((self._quarter, _QUARTER), (self._words, _WORDS)):
            if tally.of >= LEAST and tally.share >= SAME_SHARE:
                yield from tally.found(fault, "chunks with text and tokens")
