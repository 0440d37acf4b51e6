"""Where something is: a path here, or the address of an object in a bucket.

Only words are looked at; whoever reads or writes there goes through `analyzer.storage`.
"""

from __future__ import annotations

import re
from pathlib import Path

Place = Path | str  # a path, or an address as s3://bucket/key

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")

# What stands for a user and a key before the bucket, what is signed into the query of a link, and
# the parameters of Spark Connect, its token among them. A path that was made of an address has lost
# one of its strokes.
_USER = re.compile(r"(?<=:/)(/?)(?!/|arn:)[^\s/]*(?::\S*)?@")
_KEY = re.compile(r"\b((?:s3a?|gs|az)://)(?!arn:)([^\s/@]*):[^\s]+")
_QUERY = re.compile(r"(:/[^\s?]*)\?[\w.-]+=\S*?(?=[,;:]?(?:\s|$))")
_CONNECT = re.compile(r"(\bsc:/[^\s;]*;)[\w.-]+=\S*?(?=[,;:]?(?:\s|$))")


def is_address(named: object) -> bool:
    """Whether it names something behind a scheme, as s3://bucket/key does."""
    return isinstance(named, str) and _ADDRESS.match(named) is not None


def place(named: str | Path) -> Place:
    """An address as it stands, anything else as a path."""
    return named if isinstance(named, str) and is_address(named) else Path(named)


def within(folder: Place, name: str) -> Place:
    """The place of `name` in a folder, or under an address."""
    return f"{folder.rstrip('/')}/{name}" if isinstance(folder, str) else folder / name


def without_credentials(text: str) -> str:
    """A text with what stands for a user, a key or a signature in its addresses cut out."""
    text = _CONNECT.sub(r"\1...", text)
    return _QUERY.sub(r"\1?...", _KEY.sub(r"\1\2:...", _USER.sub(r"\1...@", text)))
