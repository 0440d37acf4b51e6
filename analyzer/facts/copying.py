"""Fingerprints of chunk texts, and how many packed chunks of a request are near-copies.

A text is only fingerprinted, never kept; each distinct text is signed once in a load. Fingerprints
that the application made stand in where it sends no text. Embeddings are compared where a packed
chunk has neither.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from analyzer import copies, text
from analyzer.facts import hexadecimal
from analyzer.facts.columns import Block, Bools, Ints, filled, masked
from analyzer.facts.placing import Placed

TEXTS_REMEMBERED = 1 << 18


@dataclass(frozen=True)
class Prints:
    """Fingerprints of all chunks of a block; `key` names the text in `texts`."""

    text_hash: Ints
    hashed: Bools
    s0: Ints
    s1: Ints
    signed: Bools
    key: Ints

    @property
    def known(self) -> Bools:
        """Where there is a hash or a signature."""
        return self.hashed | self.signed


@dataclass(frozen=True)
class Copied:
    """Per chunk its group (0 = none or not compared); per request whether it was compared."""

    prints: Prints
    group: copies.Copies
    compared: Bools
    texts: pa.Table

    def chunk_columns(self) -> dict[str, pa.Array]:
        """The chunk's text, the size of its group and the best-ranked chunk of it."""
        return {
            "fingerprint": masked(self.prints.key, ~self.prints.known, pa.int64()),
            "copies": masked(self.group.copies, self.group.copies == 0),
            "copy_of": masked(self.group.copy_of, self.group.copy_of == 0),
            "exact_copy_of": masked(self.group.exact_copy_of, self.group.exact_copy_of == 0),
        }

    def request_columns(self, block: Block, placed: Placed) -> dict[str, pa.Array]:
        """Involved and redundant chunks and the tokens of the redundant ones."""
        absent = ~self.compared
        redundant = self.group.copy_of > 0
        tokens = filled(block.arrays["tokens"])[0]
        return {
            "compared": masked(placed.k, absent),
            "involved": masked(block.per_request(self.group.copies > 1), absent),
            "redundant": masked(block.per_request(redundant), absent),
            "redundant_exact": masked(block.per_request(self.group.exact_copy_of > 0), absent),
            "redundant_tokens": masked(
                block.sum_by_request(np.where(redundant, tokens, 0)), absent, pa.int64()
            ),
            "missing_text": pa.array(
                block.per_request(placed.packed & ~self.prints.known), pa.int32()
            ),
        }


def find(block: Block, placed: Placed) -> Copied:
    """Fingerprint the chunks of a block and group the packed ones that are near-copies."""
    prints = _prints(block)
    rows = placed.prompts
    found = copies.find(
        copies.Packed(
            request=block.owner[rows],
            position=placed.position[rows],
            order=_order(block, placed)[rows],
            text_hash=prints.text_hash[rows],
            hashed=prints.hashed[rows],
            s0=prints.s0[rows],
            s1=prints.s1[rows],
            signed=prints.signed[rows],
        )
    )
    group = _spread(found, rows, len(block.owner))
    _compare_embeddings(block, placed, group)
    uncompared = block.per_request(placed.packed & (group.copies == 0))
    compared = placed.listed & (placed.k > 0) & (uncompared == 0)
    return Copied(prints, group, compared, _text_table(prints))


def _order(block: Block, placed: Placed) -> Ints:
    """What is best in a request: its packed ranks where all have one, else its positions."""
    ranked = (placed.ranked == placed.k)[block.owner]
    return np.where(ranked, placed.packed_rank, placed.position)


def _spread(found: copies.Copies, rows: Ints, size: int) -> copies.Copies:
    def over_all(values: Ints) -> Ints:
        column = np.zeros(size, np.int64)
        column[rows] = values
        return column

    return copies.Copies(
        over_all(found.copies), over_all(found.copy_of), over_all(found.exact_copy_of)
    )


def _compare_embeddings(block: Block, placed: Placed, group: copies.Copies) -> None:
    """Fill in the groups of requests that only their embeddings can tell about."""
    if not any(block.embeddings):
        return
    embedded = np.array([bool(vector) for vector in block.embeddings], np.bool_)
    untold = placed.packed & (group.copies == 0)
    for index in np.unique(block.owner[untold & embedded]):
        rows = np.flatnonzero((block.owner == index) & placed.packed)
        vectors = [block.embeddings[row] or [] for row in rows.tolist()]
        if len({len(vector) for vector in vectors}) != 1:
            continue
        order = _order(block, placed)[rows]
        found = copies.by_embedding(np.array(vectors, np.float64), placed.position[rows], order)
        group.copies[rows], group.copy_of[rows] = found.copies, found.copy_of


def _prints(block: Block) -> Prints:
    text_hash, hashed = hexadecimal.words(block.arrays["text_hash"], 16)
    signature, signed = hexadecimal.words(block.arrays["signature"], 32)
    s0, s1 = signature[0::2].copy(), signature[1::2].copy()
    if any(block.texts):
        for row, said in enumerate(block.texts):
            made = _of_text(said) if said else None
            if made:
                text_hash[row], s0[row], s1[row] = made
                hashed[row] = signed[row] = True
    return Prints(text_hash, hashed, s0, s1, signed, _keys(text_hash, hashed, s0, s1, signed))


_signed: dict[bytes, tuple[int, int, int] | None] = {}


def _of_text(said: str) -> tuple[int, int, int] | None:
    """Hash and signature; remembered by a digest, as the texts themselves would fill the memory."""
    digest = hashlib.blake2b(said.encode(), digest_size=16).digest()
    if digest not in _signed:
        if len(_signed) >= TEXTS_REMEMBERED:
            _signed.clear()
        normalised = text.normalise(said)
        made = (text.text_hash(normalised), *text.sign(normalised)) if normalised else None
        _signed[digest] = made
    return _signed[digest]


def _keys(text_hash: Ints, hashed: Bools, s0: Ints, s1: Ints, signed: Bools) -> Ints:
    """64 bits over hash and signature: two texts share a key where they share both."""
    key = np.zeros(len(text_hash), np.uint64)
    for part in (text_hash, s0, s1, hashed + 2 * signed.astype(np.int64)):
        key = _mixed(key ^ part.view(np.uint64))
    return key.view(np.int64)


def _mixed(bits: np.typing.NDArray[np.uint64]) -> np.typing.NDArray[np.uint64]:
    """A bijection that spreads every bit (the finalizer of splitmix64, Steele et al. 2014)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def _text_table(prints: Prints) -> pa.Table:
    rows = np.flatnonzero(prints.known)
    names = pa.array(prints.key[rows]).dictionary_encode()  # quicker than sorting them
    first = np.empty(len(names.dictionary), np.int64)
    first[names.indices.to_numpy()[::-1]] = rows[::-1]
    rows = first
    unsigned = ~prints.signed[rows]
    return pa.table(
        {
            "fingerprint": names.dictionary,
            "text_hash": masked(prints.text_hash[rows], ~prints.hashed[rows], pa.int64()),
            "s0": masked(prints.s0[rows], unsigned, pa.int64()),
            "s1": masked(prints.s1[rows], unsigned, pa.int64()),
        }
    )
