"""Unpack gzip and zstd so that a broken end costs nothing that came before it.

The standard readers raise at the cut and drop what they had already unpacked; these yield
every byte up to the fault, then raise `EndsEarly`. Both accept members and frames one after
the other, as `cat a.gz b.gz` makes them, and hand out at most about 1 MB at a time however
well the file is packed.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Literal

import zstandard

from analyzer.sources.stored import Stored

if TYPE_CHECKING:
    # A type of zlib that has no public name.
    from zlib import _Decompress

PIECE = 1 << 20

Packing = Literal["", "gzip", "zstd"]

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_PACKED_PIECE = 64 * 2**10

_BLOCK_HEADER = 3
_LONGEST_FRAME_HEADER = 18
_CHECKSUM = 4
_RUN_OF_ONE_BYTE = 1


class EndsEarly(Exception):
    """The packed file stops before its end, or breaks; everything before was yielded."""


def packing_of(head: bytes) -> Packing:
    """How a file that begins with these (at least four) bytes is packed."""
    if head.startswith(_GZIP_MAGIC):
        return "gzip"
    if head.startswith(_ZSTD_MAGIC) or _is_skippable(head[:4]):
        return "zstd"
    return ""


def unpacked(stored: Stored, packing: Packing) -> Generator[bytes]:
    """The unpacked bytes in pieces of at most about 1 MB; raises EndsEarly after the last."""
    if packing == "gzip":
        return gunzip(stored.pieces(_PACKED_PIECE))
    if packing == "zstd":
        return unzstd(stored.pieces(_PACKED_PIECE))
    return stored.pieces(PIECE)


def gunzip(pieces: Iterable[bytes]) -> Generator[bytes]:
    """The unpacked bytes of one or more gzip members; zeros may stand between them."""
    member = None
    for piece in pieces:
        while piece:
            if member is None:
                piece = piece.lstrip(b"\0")
                if not piece:
                    break
                member = zlib.decompressobj(wbits=31)
            yield from _inflated(member, piece)
            piece = member.unused_data
            if member.eof:
                member = None
    if member is not None:
        raise EndsEarly("ends early")


def _inflated(member: _Decompress, data: bytes) -> Iterator[bytes]:
    while True:
        before = member.copy()
        try:
            out = member.decompress(data, PIECE)
        except zlib.error as fault:
            yield from _up_to_the_fault(before, data)
            raise EndsEarly("is damaged") from fault
        yield out
        data = member.unconsumed_tail
        if member.eof or (not data and len(out) < PIECE):
            return


def _up_to_the_fault(member: _Decompress, data: bytes) -> Iterator[bytes]:
    # Byte by byte: zlib drops what it unpacked in the call that meets the fault.
    for at in range(len(data)):
        try:
            yield member.decompress(data[at : at + 1])
        except zlib.error:
            return


def unzstd(pieces: Iterable[bytes]) -> Generator[bytes]:
    """The unpacked bytes of one or more zstd frames; skippable frames are skipped."""
    stored = _Taker(pieces)
    while magic := stored.take_at_most(4):
        if magic == _ZSTD_MAGIC:
            yield from _frame(stored)
        elif _is_skippable(magic):
            stored.skip(int.from_bytes(stored.take(4), "little"))
        else:
            raise EndsEarly("ends early" if _ZSTD_MAGIC.startswith(magic) else "is damaged")


def _is_skippable(magic: bytes) -> bool:
    return magic[1:] == b"\x2a\x4d\x18" and magic[0] & 0xF0 == 0x50


def _frame(stored: _Taker) -> Iterator[bytes]:
    # Block by block (at most 128 KB unpacked): one call never unpacks a whole bomb, and a
    # wrong checksum at the end does not cost the last block.
    header = _ZSTD_MAGIC + stored.peek(_LONGEST_FRAME_HEADER - len(_ZSTD_MAGIC))
    frame = zstandard.ZstdDecompressor().decompressobj()
    try:
        size = zstandard.frame_header_size(header)
        checked = zstandard.get_frame_parameters(header).has_checksum
        frame.decompress(_ZSTD_MAGIC + stored.take(size - len(_ZSTD_MAGIC)))
        last = False
        while not last:
            block, last = _block(stored)
            yield frame.decompress(block)
        if checked:
            frame.decompress(stored.take(_CHECKSUM))
    except zstandard.ZstdError as fault:
        whole = len(header) == _LONGEST_FRAME_HEADER
        raise EndsEarly("is damaged" if whole else "ends early") from fault


def _block(stored: _Taker) -> tuple[bytes, bool]:
    head = stored.take(_BLOCK_HEADER)
    bits = int.from_bytes(head, "little")
    size = 1 if (bits >> 1) & 3 == _RUN_OF_ONE_BYTE else bits >> 3
    return head + stored.take(size), bool(bits & 1)


class _Taker:
    """Bytes of a stream of pieces, as many at a time as asked for."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._held = b""
        self._at = 0

    def peek(self, size: int) -> bytes:
        """The next `size` bytes without taking them; fewer at the end of the file."""
        while len(self._held) - self._at < size and (piece := next(self._pieces, b"")):
            self._held = self._held[self._at :] + piece
            self._at = 0
        return self._held[self._at : self._at + size]

    def take_at_most(self, size: int) -> bytes:
        taken = self.peek(size)
        self._at += len(taken)
        return taken

    def take(self, size: int) -> bytes:
        taken = self.take_at_most(size)
        if len(taken) < size:
            raise EndsEarly("ends early")
        return taken

    def skip(self, size: int) -> None:
        while size:
            size -= len(self.take(min(size, PIECE)))
