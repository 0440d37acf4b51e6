"""What every format is turned into: runs of JSON lines, each with its place in the file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

RUN_LINES = 500
RUN_BYTES = 1 << 20
UNCUT_BYTES = 1 << 18  # so much, and what is decoded of it, stays in the processor's cache


@dataclass(frozen=True)
class Lines:
    """A run of lines that belong together: at most about 1 MB and 500 lines.

    `texts` are what the lines say, without line ends and byte order mark; `numbers` count
    from 1 in the file (Parquet and CSV: the first row of the record); `offsets` are bytes in
    the unpacked file, None where the format has no lines.
    """

    texts: list[bytes]
    numbers: list[int]
    offsets: list[int] | None

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def size(self) -> int:
        """Bytes of the lines together."""
        return sum(map(len, self.texts))


@dataclass(frozen=True)
class Uncut:
    """A run of JSON objects, each on a line of its own, for a reader that takes many at once.

    `whole` are so many `lines` with a line feed between them; `number` and `offset` are of the
    first.
    """

    whole: bytes
    lines: int
    number: int
    offset: int

    def __len__(self) -> int:
        return self.lines

    @property
    def size(self) -> int:
        """Bytes of the lines together."""
        return len(self.whole)

    @cached_property
    def numbers(self) -> range:
        """The numbers of the lines."""
        return range(self.number, self.number + len(self))

    @cached_property
    def cut(self) -> Lines:
        """The lines one by one."""
        texts = self.whole.split(b"\n")
        lengths = (len(text) + 1 for text in texts[:-1])
        return Lines(texts, list(self.numbers), list(accumulate(lengths, initial=self.offset)))


def between_objects(block: bytes) -> NDArray[np.intp] | None:
    """Where the line feeds of a block of objects are, or None where one stands elsewhere.

    The block must begin and end with an object, and every line feed must stand between two. Inside
    of an object or a list no "}" is ever followed by "{" with a line feed alone between them, so
    then no value goes on over a line feed.
    """
    if not (block.startswith(b"{") and block.endswith(b"}")):
        return None
    said = np.frombuffer(block, np.uint8)
    feeds = _feeds(block)
    between = (said[feeds - 1] == ord("}")) & (said[feeds + 1] == ord("{"))
    return feeds if between.all() else None


def _feeds(block: bytes) -> NDArray[np.intp]:
    """Where the line feeds are; lines with chunks are long, so looking for the next is quickest."""
    found = []
    at = block.find(b"\n")
    while at >= 0:
        found.append(at)
        at = block.find(b"\n", at + 1)
    return np.array(found, np.intp)


@dataclass(frozen=True)
class Refused:
    """A line that cannot even be handed to the record's parser.

    `path` names the field, "" the whole line; `digest` is the first 16 hex digits of the
    SHA-256 of what is known of the line.
    """

    number: int
    offset: int | None
    path: str
    reason: str
    digest: str


def digest_of(text: bytes) -> str:
    """First 16 hex digits of the SHA-256 of `text`."""
    return hashlib.sha256(text).hexdigest()[:16]


def too_long(size: int, limit: int) -> str:
    """Why a line of `size` bytes is refused."""
    return f"is {size} bytes long, but a line may have at most {limit}"
