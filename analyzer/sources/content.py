"""What a file is, from its first bytes; its name only tells CSV from JSON lines."""

from __future__ import annotations

from pathlib import PurePath

from analyzer.sources.jsonl import BYTE_ORDER_MARK

# "jsonl", "nested_parquet", "flat_parquet" and "flat_csv" are our own; others are named by their
# importers and mappings.
Format = str

PARQUET_MAGIC = b"PAR1"
EXPECTED = "expected JSON lines, Parquet or CSV"

_MOSTLY = 0.8
_OTHER_FILES = {
    b"BZh": "it is packed with bzip2; pack it with gzip or zstd, or unpack it",
    b"\xfd7zXZ": "it is packed with xz; pack it with gzip or zstd, or unpack it",
    b"PK\x03\x04": "it is a zip archive; unpack it",
    b"\xff\xfe\0\0": "its text is UTF-32; write it as UTF-8",
    b"\0\0\xfe\xff": "its text is UTF-32; write it as UTF-8",
    b"\xff\xfe": "its text is UTF-16; write it as UTF-8",
    b"\xfe\xff": "its text is UTF-16; write it as UTF-8",
}


def is_named_csv(name: str) -> bool:
    """Whether a name ends in .csv, packed or not."""
    return ".csv" in [suffix.lower() for suffix in PurePath(name).suffixes[-2:]]


def not_a_log(head: bytes) -> str | None:
    """Why text that begins with `head` (unpacked) is no log, and what to do; None for a log."""
    for magic, reason in _OTHER_FILES.items():
        if head.removeprefix(BYTE_ORDER_MARK).lstrip().startswith(magic):
            return reason
    if order := _utf_16(head[:512]):
        return (
            f"its text is UTF-16 ({order}-endian, without a byte order mark); write it as UTF-8, "
            f"as iconv -f UTF-16{order[0].upper()}E -t UTF-8 does"
        )
    if _is_binary(head):
        return f"its content is not text; {EXPECTED}"
    return None


def _utf_16(head: bytes) -> str | None:
    """The order of bytes where every second one is zero, as in a log of plain letters."""
    zeros = [len(each) and each.count(0) / len(each) for each in (head[::2], head[1::2])]
    if max(zeros) < _MOSTLY or min(zeros) > 1 - _MOSTLY:
        return None
    return "big" if zeros[0] > zeros[1] else "little"


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
