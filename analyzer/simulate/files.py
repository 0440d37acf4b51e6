"""Log files: which line goes into which file, and bytes that are the same every time."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Protocol

import zstandard

from analyzer.errors import CitelogError
from analyzer.simulate.scenario import Late, Layout

_SUFFIX = {"none": "", "gz": ".gz", "zst": ".zst"}
_ZST_LEVEL = 12
_ZST_WINDOW = 25  # log2 of bytes: a week's repeated fingerprints are found again; readers allow 27


class _Sink(Protocol):
    def write(self, data: bytes, /) -> int: ...
    def close(self) -> None: ...


def file_name(layout: Layout, day: datetime, route: str) -> str:
    """The file that takes the lines of that day and route."""
    suffix = f"-{route}" if layout.by_route else ""
    return f"{_stem(layout, day)}{suffix}.jsonl{_SUFFIX[layout.compression]}"


def late_name(layout: Layout, late: Late) -> str:
    """The file of a day that arrived late; it is small and always plain gzip."""
    return f"{_stem(layout, late.arrives)}-late-{late.route}-{late.day:%m%d}.jsonl.gz"


def _stem(layout: Layout, day: datetime) -> str:
    return f"{day:%G-W%V}" if layout.per == "week" else f"{day:%Y-%m-%d}"


class Files:
    """The open files of a folder; lines are appended day by day."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, _Sink] = {}
        with _explained(folder, "no folder can stand there"):
            folder.mkdir(parents=True, exist_ok=True)

    def append(self, name: str, lines: Iterable[str]) -> None:
        """Write lines to the end of a file of this folder."""
        text = "".join(line + "\n" for line in lines)
        with _explained(self._folder / name, "it cannot be written"):
            if name not in self._open:
                self._open[name] = _sink(self._folder / name)
            # A line made to be bad UTF-8 carries its bytes as lone surrogates.
            self._open[name].write(text.encode("utf-8", errors="surrogateescape"))

    def close(self) -> None:
        """Finish every open file."""
        for name in list(self._open):
            with _explained(self._folder / name, "it cannot be written"):
                self._open.pop(name).close()

    def whole(self, name: str, text: str) -> None:
        """Write a file of this folder that is no log."""
        with _explained(self._folder / name, "it cannot be written"):
            (self._folder / name).write_text(text, encoding="utf-8")


@contextmanager
def _explained(path: Path, trouble: str) -> Iterator[None]:
    try:
        yield
    except OSError as reason:
        raise CitelogError(f"{path}: {trouble}: {reason.strerror}") from None


def _sink(path: Path) -> _Sink:
    raw: IO[bytes] = path.open("wb")
    if path.suffix == ".gz":
        return _Closing(gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0), raw)
    if path.suffix == ".zst":
        return _zst().stream_writer(raw)
    return raw


def _zst() -> zstandard.ZstdCompressor:
    parameters = zstandard.ZstdCompressionParameters.from_level(
        _ZST_LEVEL, window_log=_ZST_WINDOW, enable_ldm=True
    )
    return zstandard.ZstdCompressor(compression_params=parameters)


class _Closing:
    """A gzip stream together with the file under it, which gzip leaves open."""

    def __init__(self, stream: gzip.GzipFile, raw: IO[bytes]) -> None:
        self._stream, self._raw = stream, raw

    def write(self, data: bytes, /) -> int:
        return self._stream.write(data)

    def close(self) -> None:
        self._stream.close()
        self._raw.close()
