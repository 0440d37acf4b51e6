"""What is kept of texts finds them again where the texts themselves would have been found."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer import markers
from analyzer.sources.formats.imprints import (
    Imprint,
    TextsNeeded,
    found_places,
    of_answer,
    of_document,
    prompt_of_names,
    stands_in,
)
from analyzer.sources.formats.prompting import places
from analyzer.text import fingerprint

LONG = "The warranty covers  parts and labour for two years,\n" * 3 + "but not on islands."
TEXTS = [
    "Orders above forty euros ship free of charge.",
    "Orders above forty euros ship free of charge. Except on islands.",
    "Gift cards\n\nnever   expire.",
    LONG,
    "保修期为24个月\uff0c含零件与人工。",
    "no",
    "  ",
]


@st.composite
def prompts(draw: st.DrawFn) -> str:
    """Some of the texts, labelled or not, some with other white space or cut off."""
    pieces = []
    for at in draw(st.lists(st.integers(0, len(TEXTS) - 1), max_size=6)):
        label = draw(st.sampled_from(["", "[{}] ", "Source {}:\n", "{}. "])).format(at)
        text = TEXTS[at]
        match draw(st.integers(0, 3)):
            case 0:
                text = " ".join(text.split())
            case 1:
                text = text[:100]
            case 2:
                text = text.replace(" ", "  ")
        pieces.append(label + text)
    return draw(st.sampled_from(["\n", "\n\n", " "])).join(pieces)


def kept(text: str) -> Imprint:
    return of_document(text, None)


@settings(max_examples=80, deadline=None)
@given(prompts(), st.lists(st.sampled_from(TEXTS), max_size=7), st.sets(st.integers(0, 6)))
def test_imprints_are_found_where_their_texts_are(
    prompt: str, texts: list[str], gone: set[int]
) -> None:
    mixed = [kept(text) if at in gone else text for at, text in enumerate(texts)]
    try:
        assert found_places(mixed, prompt, None) == places(texts, prompt)
    except TextsNeeded:
        assert LONG in texts


def test_parts_of_a_split_text_with_labels_of_their_own_need_the_text() -> None:
    prompt = f"[1] {LONG[:90]}\n[2] {LONG[90:150]}"
    stood = places([LONG], prompt)
    assert stood
    assert stood.parts == {2: 0}
    with pytest.raises(TextsNeeded):
        found_places([kept(LONG)], prompt, None)


@settings(max_examples=80, deadline=None)
@given(prompts(), st.lists(st.sampled_from(TEXTS), max_size=7))
def test_a_prompt_of_names_tells_the_same_places(prompt: str, texts: list[str]) -> None:
    stood = places(texts, prompt)
    try:
        left, known = prompt_of_names(texts, stood)
    except TextsNeeded:
        assert stood
        assert stood.parts
        return
    assert not any(word in left for word in prompt.split() if word.isalpha())
    assert found_places(list(map(kept, texts)), left, known) == stood
    assert found_places(texts, left, known) == stood


def test_a_text_that_was_not_looked_for_needs_the_prompt() -> None:
    left, known = prompt_of_names(TEXTS[:1], places(TEXTS[:1], TEXTS[0]))
    with pytest.raises(TextsNeeded):
        found_places([TEXTS[0], TEXTS[2]], left, known)


def test_of_a_document_its_fingerprint_and_tokens_are_kept_and_no_words() -> None:
    found = of_document(TEXTS[0], str.__len__)
    assert (found.text_hash, found.signature) == fingerprint(TEXTS[0])
    assert (found.tokens, found.counted) == (45, True)
    assert "Orders" not in repr(found)
    assert of_document("...", None).text_hash is None


def test_of_an_answer_its_markers_are_kept() -> None:
    assert markers.read(of_answer("Free [2], see [1, 3-4] and `x[7]`.").markers) == [2, 1, 3, 4]


def test_an_answer_is_known_again_within_the_whole() -> None:
    part, whole = "Free of charge [1].", "So: Free of charge [1]. Anything else?"
    assert stands_in(of_answer(part), whole)
    assert not stands_in(of_answer("Free"), "Never")
    assert stands_in(part, of_answer(part))
    assert not stands_in(whole, of_answer(part))
    with pytest.raises(TextsNeeded):
        stands_in(part, of_answer(whole))
