"""Open one log file: find out what it is, and hand out its lines with their places."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Literal

from analyzer.errors import CitelogError
from analyzer.sources.jsonl import BYTE_ORDER_MARK, cut_lines
from analyzer.sources.lines import Lines, Refused
from analyzer.sources.stored import Stored, open_stored, spooled
from analyzer.sources.unpacking import (
    GZIP_MAGIC,
    PIECE,
    ZSTD_MAGIC,
    EndsEarly,
    gunzip,
    unzstd,
)

Format = Literal["jsonl", "nested_parquet", "flat_parquet", "flat_csv"]
Packing = Literal["", "gzip", "zstd"]

MAX_LINE_BYTES = 64 * 2**20

_HEAD = 64 * 2**10
_PACKED_PIECE = 64 * 2**10
_EXPECTED = "expected JSON lines, Parquet or CSV"

_OTHER_FILES = {
    b"BZh": "it is packed with bzip2; pack it with gzip or zstd, or unpack it",
    b"\xfd7zXZ": "it is packed with xz; pack it with gzip or zstd, or unpack it",
    b"PK\x03\x04": "it is a zip archive; unpack it",
    b"\xff\xfe": "its text is UTF-16; write it as UTF-8",
    b"\xfe\xff": "its text is UTF-16; write it as UTF-8",
    b"[": f"it is one JSON array; {_EXPECTED}, one record a line",
}


class Source:
    """One log file, open until it is closed (a context manager).

    `name` is its path as it was given ("stdin" for a pipe), `size` its bytes as stored,
    `consumed` how many of them were read in the current pass, `path` where another reader finds
    the same bytes (None for a pipe). `cut` is set once `blocks()` has met a packed file's early
    end: a sentence that says so.
    """

    def __init__(self, stored: Stored, packing: Packing, max_line_bytes: int) -> None:
        self.name = stored.name
        self.path = stored.path
        self.packing: Packing = packing
        self.format: Format = "jsonl"
        self.cut: str | None = None
        self._stored = stored
        self._max_line_bytes = max_line_bytes

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives the file back; a pipe's copy is gone then."""
        self._stored.file.close()

    @property
    def size(self) -> int:
        return self._stored.size

    @property
    def consumed(self) -> int:
        return self._stored.consumed

    def digest(self) -> str:
        """SHA-256 of the file as stored, 64 hex digits; reads the whole file."""
        return self._stored.digest()

    def blocks(self) -> Iterator[Lines | Refused]:
        """Every line in the order of the file, from the start at each call.

        Raises CitelogError when the file cannot be read to its end; that a packed file stops
        early is no error: what came before is handed out, then `cut` says so.
        """
        self.cut = None
        kept = 0
        try:
            for block in cut_lines(self.unpacked(), self._max_line_bytes):
                kept += len(block.texts) if isinstance(block, Lines) else 0
                yield block
        except EndsEarly as early:
            self.cut = (
                f"{self.name}: the compressed file {early}, {kept} lines before the cut are kept"
            )

    def unpacked(self) -> Generator[bytes]:
        """The unpacked bytes in pieces of at most about 1 MB; raises EndsEarly after the last."""
        if self.packing == "gzip":
            return gunzip(self._stored.pieces(_PACKED_PIECE))
        if self.packing == "zstd":
            return unzstd(self._stored.pieces(_PACKED_PIECE))
        return self._stored.pieces(PIECE)


def open_source(
    path: Path | str,
    *,
    format: Format | None = None,
    max_line_bytes: int = MAX_LINE_BYTES,
    spool_dir: Path | None = None,
) -> Source:
    """Opens a log file, or stdin for "-".

    What it is follows from its content; CSV from its name (.csv, also packed) or from `format`.
    A pipe is first copied to a temporary file in `spool_dir`. Lines over `max_line_bytes` will be
    refused. Raises CitelogError for a file that is not there, may not be read or is no log.
    """
    if str(path) == "-":
        source = _recognised(spooled("stdin", sys.stdin.buffer, spool_dir), max_line_bytes)
    else:
        source = _recognised(open_stored(Path(path), spool_dir), max_line_bytes)
    source.format = format or _format_of(source)
    return source


def _recognised(stored: Stored, max_line_bytes: int) -> Source:
    with closing(stored.pieces(_PACKED_PIECE)) as pieces:
        magic = next(pieces, b"")[:4]
    packing: Packing = ""
    if magic.startswith(GZIP_MAGIC):
        packing = "gzip"
    elif magic == ZSTD_MAGIC or magic[1:] == b"\x2a\x4d\x18":
        packing = "zstd"
    return Source(stored, packing, max_line_bytes)


def _format_of(source: Source) -> Format:
    head = _head(source)
    if wrong := _not_a_log(head):
        source.close()
        raise CitelogError(f"{source.name}: is not a citation log: {wrong}")
    return "jsonl"


def _head(source: Source) -> bytes:
    head = b""
    try:
        with closing(source.unpacked()) as pieces:
            for piece in pieces:
                head += piece
                if len(head) >= _HEAD:
                    break
    except EndsEarly:
        pass
    return head[:_HEAD]


def _not_a_log(head: bytes) -> str | None:
    for magic, reason in _OTHER_FILES.items():
        if head.removeprefix(BYTE_ORDER_MARK).lstrip().startswith(magic):
            return reason
    if _is_binary(head):
        return f"its content is not text; {_EXPECTED}"
    return None


def _is_binary(head: bytes) -> bool:
    # A log that a crash has filled with zeros here and there is still a log: its lines are judged
    # one by one. Other files show themselves in their first bytes or by many control characters.
    if b"\0" in head[:512]:
        return True
    if head.lstrip().startswith(b"{"):
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return b"\0" in head or controls * 20 > len(head)


_CONTROLS = bytes(set(range(32)) - set(b"\t\n\f\r"))
