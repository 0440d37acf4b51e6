"""Files that people asked for, whole or not at all.

What stood under the name stays until the new file is complete, so that a full disk or a stop in
the middle never leaves half a report where a good one was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Put `text` as UTF-8 under `path`; an `OSError` names `path`."""
    with written_whole(path) as part:
        part.write_text(text, encoding="utf-8")


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A place beside `path` to write to, which takes its name when the block ends well."""
    if not path.is_file() and path.exists():
        yield path  # a pipe or a device, as /dev/stdout: it must be written to, not replaced
        return
    part = path.with_name(f".{path.name}.part")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        if part.exists():
            part.unlink()
