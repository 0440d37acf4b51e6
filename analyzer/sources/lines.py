"""What every format is turned into: runs of JSON lines, each with its place in the file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

RUN_LINES = 500
RUN_BYTES = 1 << 20


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
