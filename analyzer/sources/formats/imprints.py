"""What is kept of a text in its place: enough to know it again, too little to read it.

A trace may come in parts. What was retrieved comes with its texts; the prompt in which they are to
be found may come in a later load. Until then of each text are kept its fingerprint and its tokens,
which the record asks for, and for finding it: its length, a sum that can be carried along a prompt
character by character, and a digest that decides. The same of its first characters, by which a
text is found whose end was cut off, and all of it once more with plain white space where it has
other. Who guesses a text can check the guess, as with the fingerprints in the store.

Of an answer only its markers are kept; of a prompt in which texts were found only their order and
their labels, written as a prompt of names. What would need more than that raises `TextsNeeded`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from analyzer import markers, tokens
from analyzer.sources.formats.prompting import (
    BEGINNING,
    Places,
    found_in,
    labels_in,
    places,
    spaced,
)
from analyzer.text import fingerprint

Counting = Callable[[str], int]
_BASE = 0x9E3779B97F4A7C15  # odd, so that its powers have no common factor with 2**64
_UNREAD = "\0"


class TextsNeeded(Exception):
    """What was asked of an imprint can only be told from the text itself."""


class Form(msgspec.Struct, array_like=True):
    """A text by its length, its sum and its digest; `beginning` is the same of its first part."""

    length: int
    sum: int
    digest: str
    beginning: Form | None = None


class Imprint(msgspec.Struct, omit_defaults=True):
    """What is kept of a text: of a document its fingerprint, of an answer its markers.

    `spaced` is its form with plain white space, None where it has no other.
    """

    plain: Form
    spaced: Form | None = None
    text_hash: str | None = None
    signature: str | None = None
    tokens: int | None = None
    counted: bool = False
    markers: str = ""

    @property
    def name(self) -> str:
        """A short stand-in for the text, in which nothing else stands."""
        return _stand_in(self.plain.digest)


def of_document(text: str, count: Counting | None) -> Imprint:
    """What is kept of a retrieved text; `count` is the tokenizer, where there is one."""
    found = fingerprint(text)
    return Imprint(
        *_forms(text),
        text_hash=found.text_hash if found else None,
        signature=found.signature if found else None,
        tokens=(count or tokens.estimated)(text),
        counted=count is not None,
    )


def of_answer(text: str) -> Imprint:
    """What is kept of an answer."""
    found = "".join(f"[{number}]" for number in markers.read(text))
    return Imprint(*_forms(text), markers=found)


def prompt_of_names(
    texts: Sequence[str | Imprint | None], stood: Places | None
) -> tuple[str, list[str]]:
    """What is left of a prompt: its texts by name, in their order and with their labels; all names.

    Raises TextsNeeded where parts of a text have labels of their own.
    """
    names = [named(text) for text in texts]
    known = sorted(filter(None, names))
    if stood is None:
        return "", known
    if stood.parts:
        raise TextsNeeded
    order = sorted((place, at) for at, place in enumerate(stood.positions) if place is not None)
    labels = stood.markers or [None] * len(names)
    prompt = "".join(
        f"\n{'' if labels[at] is None else f'[{labels[at]}] '}{names[at]}" for _, at in order
    )
    return prompt, known


def named(text: str | Imprint | None) -> str | None:
    """The stand-in for a text; None for one that cannot be found in a prompt."""
    if isinstance(text, str):
        plain = text.strip()
        return _stand_in(_digest(plain)) if plain else None
    return text.name if text and text.plain.length else None


def found_places(
    texts: Sequence[str | Imprint | None], prompt: str, known: Sequence[str] | None
) -> Places | None:
    """Where texts stand in a prompt, whatever is left of either; None where none of them does.

    `known` are the names of the texts that were looked for while the prompt was still there.
    """
    if known is not None:
        names = [named(text) for text in texts]
        if Counter(filter(None, names)) - Counter(known):
            raise TextsNeeded
        return places(names, prompt) if prompt else None
    if not any(isinstance(text, Imprint) for text in texts):
        return places([text if isinstance(text, str) else None for text in texts], prompt)
    shown = [_shown(text, prompt, plain=True) for text in texts]
    if None in found_in(shown, prompt):
        prompt = spaced(prompt)
        shown = [_shown(text, prompt, plain=False) for text in texts]
    stood = places(shown, prompt)
    # What other labels stand before may be the rest of a text that was split.
    split = any(text and text.endswith(_UNREAD) for text in shown)
    if split and stood and stood.markers and labels_in(prompt) - set(stood.markers):
        raise TextsNeeded
    return stood


def same(one: str | Imprint, other: str | Imprint) -> bool:
    """Whether two answers are one."""
    return named(one) == named(other)


def stands_in(answer: str | Imprint, whole: str | Imprint) -> bool:
    """Whether an answer is the other one, or a part of it."""
    if isinstance(whole, str):
        part = answer.strip() if isinstance(answer, str) else _shown(answer, whole, plain=True)
        return part is not None and part in whole
    mine = answer if isinstance(answer, Imprint) else of_answer(answer)
    if mine.plain.length > whole.plain.length:
        return False
    if mine.plain.length == whole.plain.length:
        return mine.plain.digest == whole.plain.digest
    raise TextsNeeded


def _forms(text: str) -> tuple[Form, Form | None]:
    plain, other = text.strip(), spaced(text).strip()
    return _form(plain), None if other == plain else _form(other)


def _form(text: str) -> Form:
    sums = _sums(text)
    beginning = None
    if len(text) > BEGINNING:
        beginning = Form(BEGINNING, int(sums[BEGINNING]), _digest(text[:BEGINNING]))
    return Form(len(text), int(sums[-1]), _digest(text), beginning)


def _shown(text: str | Imprint | None, prompt: str, *, plain: bool) -> str | None:
    """A text as a prompt shows it; one that was cut off there is filled up to its length."""
    if not isinstance(text, Imprint):
        return text if text is None or plain else spaced(text)
    form = text.plain if plain else text.spaced or text.plain
    if not form.length:
        return None
    if (whole := _within(form, prompt)) is not None:
        return whole
    if form.beginning is None or (cut := _within(form.beginning, prompt)) is None:
        return None
    return cut + _UNREAD * (form.length - len(cut))


def _within(form: Form, prompt: str) -> str | None:
    """The part of a prompt that has the form."""
    if len(prompt) < form.length:
        return None
    sums, powers = _sums(prompt), _powers(len(prompt) + 1)
    windows = sums[form.length :] - sums[: len(sums) - form.length]
    alike = windows == np.uint64(form.sum) * powers[: len(windows)]
    for at in np.flatnonzero(alike).tolist():
        part = prompt[at : at + form.length]
        if _digest(part) == form.digest:
            return part
    return None


def _sums(text: str) -> NDArray[np.uint64]:
    """Sums of all beginnings, from the empty one on: characters times powers, modulo 2**64."""
    characters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    weighed = (characters.astype(np.uint64) + np.uint64(1)) * _powers(len(characters))
    return np.concatenate([np.zeros(1, np.uint64), np.cumsum(weighed, dtype=np.uint64)])


def _powers(size: int) -> NDArray[np.uint64]:
    powers = np.full(size, _BASE, np.uint64)
    powers[:1] = 1
    return np.multiply.accumulate(powers, dtype=np.uint64)


def _stand_in(digest: str) -> str:
    return f"\ue000{digest}\ue001"


def _digest(text: str) -> str:
    plain = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(plain, digest_size=8).hexdigest()
