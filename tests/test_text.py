"""Fingerprints follow their published description; a second implementation of it is the witness."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer import text
from analyzer.text import Fingerprint, fingerprint, normalise, parse_hash, parse_signature, sign

MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15


def mix(word: int) -> int:
    word = (word + GAMMA) & MASK
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
    return word ^ word >> 31


def rotl(word: int, by: int) -> int:
    return (word << by | word >> (64 - by)) & MASK


def fold(left: int, right: int) -> int:
    return (left * right & MASK) ^ (left * right >> 64)


def shingle_hash(data: bytes) -> int:
    def number(offset: int, size: int = 8) -> int:
        return int.from_bytes(data[offset : offset + size], "little")

    p, q, n = 0x243F6A8885A308D3, 0x13198A2E03707344, len(data)
    if n > 16:
        for offset in range(0, n - 16, 16):
            second = 0xA4093822299F31D0 ^ number(offset + 8)
            p, q = q, fold(p ^ number(offset), second)
        p, q = p ^ number(n - 16), q ^ number(n - 8)
    elif n >= 8:
        p, q = p ^ number(0), q ^ number(n - 8)
    elif n >= 4:
        p, q = p ^ number(0, 4), q ^ number(n - 4, 4)
    else:
        p, q = p ^ data[0], q ^ data[n // 2] ^ data[-1] << 8
    return rotl((fold(p, q) ^ n) * 0xF1357AEA2E62A9C5 & MASK, 26)


def xoshiro256_plus_plus(seed: int) -> Iterator[int]:
    s0, s1, s2, s3 = (mix((seed + turn * GAMMA) & MASK) for turn in range(4))
    while True:
        yield (rotl((s0 + s3) & MASK, 23) + s0) & MASK
        shifted = s1 << 17 & MASK
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= shifted
        s3 = rotl(s3, 45)


def naive_minima(shingles: list[str]) -> list[int]:
    outputs = list(islice(xoshiro256_plus_plus(42), 256))
    a, b = [output | 1 for output in outputs[::2]], outputs[1::2]
    minima = [0xFFFFFFFF] * 128
    for h in {shingle_hash(shingle.encode()) for shingle in shingles}:
        f = mix(h ^ a[0] ^ 0xBB67AE8584CAA73B)
        offers = [(i, (3 << 30) + ((a[i] * f + b[i] & MASK) >> 34)) for i in range(128)]
        for r in range(3):
            m = mix(h ^ b[0] ^ 0x6A09E667F3BCC909 ^ r * 0x3C6EF372FE94F82B & MASK)
            offers.append((m >> 25 & 127, (r << 30) + (m >> 34)))
        for slot, offer in offers:
            minima[slot] = min(minima[slot], offer)
    return minima


def naive_normal_form(raw: str) -> str:
    composed = unicodedata.normalize("NFKC", raw)
    white = r"[ \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\t-\r\x1c-\x1f\x85]+"
    collapsed = re.sub(white, " ", composed).strip(" ")
    gap = "." if 15 * collapsed.count(" ") < len(collapsed) else " "
    kept = [
        character if character == "_" or unicodedata.category(character)[0] in "LMN" else gap
        for character in composed.lower()
    ]
    return re.sub(rf"{re.escape(gap)}+", gap, "".join(kept)).strip(gap)


def naive_fingerprint(raw: str) -> tuple[str, str] | None:
    form = naive_normal_form(raw)
    if not form:
        return None
    words = form.split(" ")
    if len(words) > 1:
        shingles = [f"{x} {y} {z}" for x, y, z in zip(words, words[1:], words[2:], strict=False)]
    else:
        shingles = [form[at : at + 5] for at in range(len(form) - 4)]
    bits = "".join(str(minimum % 2) for minimum in naive_minima(shingles or [form]))
    return blake2b(form.encode(), digest_size=8).hexdigest(), f"{int(bits, 2):032x}"


def published_vectors() -> list[tuple[str, str, str]]:
    vector = re.compile(r'^    (".*")\n        ([0-9a-f]{16})  ([0-9a-f]{32})$', re.MULTILINE)
    return [(json.loads(raw), *rest) for raw, *rest in vector.findall(text.__doc__ or "")]


def test_the_description_publishes_three_vectors() -> None:
    assert len(published_vectors()) == 3


@pytest.mark.parametrize(("raw", "text_hash", "signature"), published_vectors())
def test_published_vectors_hold(raw: str, text_hash: str, signature: str) -> None:
    assert fingerprint(raw) == Fingerprint(text_hash, signature)
    assert naive_fingerprint(raw) == (text_hash, signature)


@pytest.mark.parametrize("words", [1, 2, 3, 4, 10, 34, 60, 130, 500])
def test_texts_of_every_length_follow_the_description(words: int) -> None:
    raw = " ".join(f"{'wörd' * (at % 6)}{at * at % 97}" for at in range(words))
    assert fingerprint(raw) == naive_fingerprint(raw)


@given(st.text())
def test_any_text_follows_the_description(raw: str) -> None:
    assert fingerprint(raw) == naive_fingerprint(raw)


@given(st.text(st.characters(codec="ascii")))
def test_any_ascii_text_follows_the_description(raw: str) -> None:
    assert normalise(raw) == naive_normal_form(raw)


@pytest.mark.parametrize(
    ("raw", "normal_form"),
    [
        ("  Hello,\n\tWORLD! ", "hello world"),
        ("snake_case, kebab-case and so on", "snake_case kebab case and so on"),
        ("It costs \uff12\uff14 \u20ac", "it costs 24"),  # full-width digits
        ("\ufb01ne caf\u0065\u0301 or caf\u00e9", "fine caf\u00e9 or caf\u00e9"),
        (
            "\u0939\u093f\u0928\u094d\u0926\u0940 \u092e\u0947\u0902",
            "\u0939\u093f\u0928\u094d\u0926\u0940 \u092e\u0947\u0902",
        ),
        ("\u4f60\u597d\uff0c\u4e16\u754c\u3002", "\u4f60\u597d.\u4e16\u754c"),
        ("lone \ud800 surrogate", "lone surrogate"),
        ("?! -- ...", ""),
        ("", ""),
    ],
)
def test_normal_forms(raw: str, normal_form: str) -> None:
    assert normalise(raw) == normal_form


def test_case_punctuation_and_white_space_leave_the_fingerprint_alone() -> None:
    assert fingerprint("Leave: 30 days!") == fingerprint("leave 30\n\ndays")


def test_a_text_without_word_characters_has_no_fingerprint() -> None:
    assert fingerprint("\u2014 ?! \n") is None


def test_one_changed_word_is_another_hash_and_a_near_signature() -> None:
    words = [f"word{at}" for at in range(100)]
    before, after = " ".join(words), " ".join([*words[:50], "other", *words[51:]])
    assert text.text_hash(before) != text.text_hash(after)
    assert 0 < differing_bits(before, after) <= 25


def test_unlike_texts_differ_in_about_half_of_the_bits() -> None:
    texts = [" ".join(f"{topic}{at}" for at in range(50)) for topic in "abcdefghijkl"]
    counts = [differing_bits(x, y) for x in texts for y in texts if x < y]
    assert min(counts) > 38  # 66 pairs of 64 +- 5.7
    assert 62 < sum(counts) / len(counts) < 66


def test_texts_without_spaces_are_compared_by_characters() -> None:
    base = "".join(chr(0x4E00 + at * 37 % 2000) for at in range(120))
    clauses = "\uff0c".join(base[at : at + 10] for at in range(0, 120, 10))
    changed = clauses.replace(clauses[33], "\u9f98").replace(clauses[77], "\u9f99")
    assert 0 < differing_bits(clauses, changed) <= 25


def differing_bits(raw: str, other: str) -> int:
    pairs = zip(sign(normalise(raw)), sign(normalise(other)), strict=True)
    return sum(((x ^ y) & MASK).bit_count() for x, y in pairs)


@given(st.text(min_size=1).filter(normalise))
def test_logged_digits_come_back_as_the_signed_halves(raw: str) -> None:
    made = fingerprint(raw)
    assert made is not None
    assert parse_hash(made.text_hash) == text.text_hash(normalise(raw))
    assert parse_signature(made.signature.upper()) == sign(normalise(raw))


def test_hashes_are_signed_and_only_their_first_64_bits_count() -> None:
    assert parse_hash("0" * 15 + "1" + "f" * 48) == 1
    assert parse_hash("f" * 16) == -1
    assert parse_hash("8" + "0" * 15) == -(2**63)
    assert parse_signature("0" * 15 + "2" + "f" * 16) == (2, -1)


@pytest.mark.parametrize("digits", ["", "12 34" * 8, "0x" + "0" * 30, "g" * 32, "\u0663" * 32])
def test_other_characters_than_hex_digits_are_refused(digits: str) -> None:
    for parse in (parse_hash, parse_signature):
        with pytest.raises(ValueError, match="is not made of hex digits alone"):
            parse(digits)


def test_wrong_lengths_are_refused_with_the_length() -> None:
    with pytest.raises(ValueError, match="has 15 hex digits, but at least 16 are needed"):
        parse_hash("0" * 15)
    with pytest.raises(ValueError, match="has 33 hex digits, but a signature has 32"):
        parse_signature("0" * 33)


def test_a_library_that_signs_otherwise_is_refused() -> None:
    program = """
import rensa
class Other:
    def __init__(self, num_perm, seed): pass
    def update(self, pieces): pass
    def digest(self): return [1] * 128
rensa.RMinHash = Other
import analyzer.text
"""
    root = Path(__file__).parents[1]
    ran = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True)
    assert "ImportError: rensa signs texts by another algorithm here" in ran.stderr
