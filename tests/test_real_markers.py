"""Markers of real answers: 250 questions of nomiracl, ten passages each, and a web search."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from analyzer import markers

DATA = Path(__file__).parents[2] / "shared/data"
ANSWERS = DATA / "nomiracl/relevant.en.test.jsonl"
NEIGHBOURS = DATA / "recordings/markers_perplexity/perplexity-citations.json"
PASSAGES = 10

needs_answers = pytest.mark.skipif(not ANSWERS.exists(), reason="needs ../shared/data/nomiracl")
needs_neighbours = pytest.mark.skipif(
    not NEIGHBOURS.exists(), reason="needs ../shared/data/recordings/markers_perplexity"
)

# Facts counted by others with plain `[n]` and `[n, m]` markers; the one range `[2-10]` is apart.
FACTS = {
    "llama-2-70b-chat": (204, 436, [201, 53, 57, 55, 10, 14, 12, 8, 6, 4]),
    "llama-2-13b-chat": (96, 418, [83, 31, 48, 32, 41, 40, 41, 33, 37, 31]),
    "Mixtral-8x7B-Instruct-v0.1": (77, 153, [67, 20, 16, 9, 7, 10, 7, 7, 5, 5]),
}
RANGE = "[2-10]"


@cache
def answers(model: str) -> tuple[str, ...]:
    lines = ANSWERS.read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line)["results"][model] for line in lines)


def answers_citing(texts: list[str]) -> list[int]:
    cited = Counter(number for text in texts for number in set(markers.read(text)))
    return [cited[position] for position in range(1, PASSAGES + 1)]


@needs_answers
@pytest.mark.parametrize("model", FACTS)
def test_every_count_of_plain_markers_is_found(model: str) -> None:
    answers_with, total, citing = FACTS[model]
    texts = [answer.replace(RANGE, "") for answer in answers(model)]
    read = [markers.read(text) for text in texts]
    assert len(read) == 250
    assert sum(map(bool, read)) == answers_with
    assert sum(map(len, read)) == total
    assert answers_citing(texts) == citing


@needs_answers
def test_the_one_range_adds_one_at_each_of_its_positions() -> None:
    _, total, citing = FACTS["llama-2-70b-chat"]
    texts = list(answers("llama-2-70b-chat"))
    assert sum(RANGE in text for text in texts) == 1
    assert sum(len(markers.read(text)) for text in texts) == total + 9
    assert answers_citing(texts) == citing[:1] + [count + 1 for count in citing[1:]]


@needs_answers
@pytest.mark.parametrize("model", FACTS)
def test_no_marker_is_stray_and_the_base_is_one(model: str) -> None:
    read = [markers.read(answer) for answer in answers(model)]
    assert markers.detect_base((found, PASSAGES) for found in read) == 1
    cited = [markers.cited_positions(found, PASSAGES, 1) for found in read]
    assert sum(citations.stray for citations in cited) == 0


@needs_neighbours
def test_neighbouring_markers_after_a_full_stop_are_read() -> None:
    recorded = json.loads(NEIGHBOURS.read_text(encoding="utf-8"))
    found = markers.read(recorded["choices"][0]["message"]["content"])
    assert found == [2, 3, 5, 7, 2, 3, 5, 7, 6, 1, 1, 2, 5]
    cited = markers.cited_positions(found, len(recorded["citations"]), 1)
    assert cited == ([2, 3, 5, 7, 6, 1], 0)  # the fourth source is listed and never cited
