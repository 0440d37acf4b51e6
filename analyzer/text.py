r"""Fingerprints of chunk texts, so that copies are found without keeping any text.

The algorithm is published here whole: an application in any language can send `text_hash` and
`signature` in place of `text`. It is fixed for good; another algorithm needs other field names.
Integers are unsigned 64-bit and wrap; `^` is exclusive or, `>>` and `<<` shift, rotl(x, n)
rotates left; characters are Unicode code points, never UTF-16 units; texts are hashed as UTF-8.

1. Normal form. Apply NFKC to the text. Collapse each run of white space (categories Z*, U+0009 to
   U+000D, U+001C to U+001F, U+0085) into one space and trim: where the result has fewer than one
   space per 15 characters (15 * spaces < characters), the text is written without spaces. Lower
   the case of the NFKC text (full mapping, final sigma included). Word characters are letters,
   marks and numbers (categories L*, M*, N*) and `_`. Replace each run of other characters by one
   space, or by one `.` in a text written without spaces; none at either end. A text with nothing
   left has no fingerprint.
2. text_hash: BLAKE2b of the normal form with an 8-byte digest, as 16 hex digits.
3. Shingles. A normal form with a space in it: every three successive words, joined by spaces; if
   it has two words, those two. Without a space: every five successive characters; if it has
   fewer than five, all of them.
4. Minima: RMinHash of the library rensa, algorithm version 2, with 128 slots and seed 42:
   - mix(x): z = x + 9e3779b97f4a7c15; z = (z ^ z >> 30) * bf58476d1ce4e5b9;
     z = (z ^ z >> 27) * 94d049bb133111eb; the result is z ^ z >> 31.
   - fold(x, y): the 128-bit product of x and y, its low 64 bits ^ its high 64 bits.
   - hash(bytes), n of them, numbers read little-endian: p = 243f6a8885a308d3,
     q = 13198a2e03707344. If n > 16: for each offset o = 0, 16, ... below n - 16,
     (p, q) = (q, fold(p ^ u64 at o, a4093822299f31d0 ^ u64 at o + 8)); then p ^= u64 at n - 16,
     q ^= u64 at n - 8. If 8 <= n <= 16: p ^= u64 at 0, q ^= u64 at n - 8. If 4 <= n < 8:
     p ^= u32 at 0, q ^= u32 at n - 4. If n < 4: p ^= the first byte, q ^= the byte at n / 2
     (rounded down) and 256 times the last byte. The hash is
     rotl((fold(p, q) ^ n) * f1357aea2e62a9c5, 26).
   - a[i], b[i] for i = 0..127: the outputs 2i and 2i + 1 of xoshiro256++, a[i] with its lowest
     bit set; the generator's four words are mix(42), mix(42 + g), mix(42 + 2g), mix(42 + 3g)
     with g = 9e3779b97f4a7c15.
   - For each shingle, h = hash(shingle). In each of three rounds r = 0, 1, 2 it offers to one
     slot: m = mix(h ^ b[0] ^ 6a09e667f3bcc909 ^ r * 3c6ef372fe94f82b); the slot is
     (m >> 25) & 127, the offer (r << 30) + (m >> 34). To every slot i it also offers
     (3 << 30) + ((a[i] * f + b[i]) >> 34), f = mix(h ^ a[0] ^ bb67ae8584caa73b).
     Each slot keeps its smallest offer.
5. signature: the lowest bit of each minimum, slot 0 first, as the most significant bit of 128;
   32 hex digits. Two texts whose sets of shingles have Jaccard similarity J differ in
   64 * (1 - J) of the 128 bits on average (b-bit minwise hashing, Li and Konig 2010): the estimate
   1 - 2 * differing / 128 has a standard deviation of .066 at J = .6 and .049 at .8.

Test vectors: text as JSON, then its text_hash and its signature. The normal forms are
`hello world`, `the dog s bowl costs 24 eur it isn t in stock` and `保修期为24个月.含零件与人工`.

    "Hello, WORLD!"
        878633aa32a3b150  cd3a96d47fc24ac529ab0e8d3e2858ff
    "The dog\u2019s bowl costs \uff12\uff14 EUR; it isn't in stock."
        4d3418ff9d5f51e5  6b9fc6261160dd17a1c270c44587dd8a
    "保修期为24个月\uff0c含零件与人工\u3002"
        ab18a913eb8fe1a0  49d427eef50edf133e61da3002624b5e

The white space rule keeps word shingles away from Chinese, Japanese or Thai, where a "word" would
be a whole clause. Versions of Unicode differ only in texts that use characters new to one of them.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b
from struct import pack
from typing import NamedTuple

from rensa import RMinHash

SLOTS = 128
SEED = 42
CHARACTERS_PER_SPACE = 15
WORDS, CHARACTERS = 3, 5  # of a shingle

_ASCII_WORDS = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or chr(code) == "_" else ord(" ")
    for code in range(256)
)
_LOWEST_BIT = bytes(b"01"[byte & 1] for byte in range(256))
_HEX = re.compile(r"[0-9a-fA-F]+")


class Fingerprint(NamedTuple):
    """What a record carries in place of a chunk's text."""

    text_hash: str  # 16 hex digits; equal for texts with one normal form
    signature: str  # 32 hex digits; near for texts that share most of their shingles


def fingerprint(text: str) -> Fingerprint | None:
    """Fingerprint of a text as it stood in the prompt; None where no word character is in it."""
    normalised = normalise(text)
    if not normalised:
        return None
    return Fingerprint(_digest(normalised).hex(), f"{_signature(normalised):032x}")


def normalise(text: str) -> str:
    """Normal form of a text: step 1 above. Empty where no word character is in it."""
    if text.isascii():
        return _joiner(text).join(text.encode().translate(_ASCII_WORDS).decode().split())
    text = unicodedata.normalize("NFKC", text)
    lowered = text.lower()
    for character in filter(_splits_words, set(lowered)):
        lowered = lowered.replace(character, " ")
    return _joiner(text).join(lowered.split())


def text_hash(normalised: str) -> int:
    """Signed 64-bit hash of a normal form that is not empty."""
    return int.from_bytes(_digest(normalised), "big", signed=True)


def sign(normalised: str) -> tuple[int, int]:
    """First and last 64 bits, signed, of the signature of a normal form that is not empty."""
    return _halves(_signature(normalised).to_bytes(16, "big"))


def parse_hash(digits: str) -> int:
    """Signed 64 bits of a logged `text_hash`; ValueError says what is wrong with it."""
    _check_hex(digits)
    if len(digits) < 16:
        raise ValueError(f"has {len(digits)} hex digits, but at least 16 are needed")
    return int.from_bytes(bytes.fromhex(digits[:16]), "big", signed=True)


def parse_signature(digits: str) -> tuple[int, int]:
    """Both signed halves of a logged `signature`; ValueError says what is wrong with it."""
    _check_hex(digits)
    if len(digits) != 32:
        raise ValueError(f"has {len(digits)} hex digits, but a signature has 32")
    return _halves(bytes.fromhex(digits))


def shingles(normalised: str) -> list[str]:
    """The pieces of a normal form that are compared, repeats included: step 3 above."""
    if " " in normalised:
        words = normalised.split(" ")
        pieces = list(map(" ".join, zip(*(words[start:] for start in range(WORDS)), strict=False)))
    else:
        starts = range(len(normalised) - CHARACTERS + 1)
        pieces = [normalised[start : start + CHARACTERS] for start in starts]
    return pieces or [normalised]


def _joiner(text: str) -> str:
    pieces = text.split()
    spaces = len(pieces) - 1
    return "." if CHARACTERS_PER_SPACE * spaces < len(" ".join(pieces)) else " "


def _splits_words(character: str) -> bool:
    # The \w of regular expressions lacks the marks that spell vowels in Hindi or Thai.
    return unicodedata.category(character)[0] not in "LMN" and character != "_"


def _digest(normalised: str) -> bytes:
    return blake2b(normalised.encode(), digest_size=8).digest()


def _signature(normalised: str) -> int:
    lowest_bytes = pack(f"<{SLOTS}I", *_minima(shingles(normalised)))[::4]
    return int(lowest_bytes.translate(_LOWEST_BIT), 2)


def _minima(pieces: list[str]) -> list[int]:
    sketch = RMinHash(num_perm=SLOTS, seed=SEED)
    sketch.update(pieces)
    minima: list[int] = sketch.digest()
    return minima


def _halves(signature: bytes) -> tuple[int, int]:
    first = int.from_bytes(signature[:8], "big", signed=True)
    return first, int.from_bytes(signature[8:], "big", signed=True)


def _check_hex(digits: str) -> None:
    if not _HEX.fullmatch(digits):
        raise ValueError("is not made of hex digits alone")


# A library that signs in another way would fill stores with signatures that match nothing.
if _minima(["citelog"])[:2] != [4028783832, 3317319717]:
    raise ImportError("rensa signs texts by another algorithm here; install rensa>=0.5,<0.6")
