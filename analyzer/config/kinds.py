"""What may stand as the value of a setting, and how a setting carries its own words.

`description` is the comment in the file that `citelog init` writes, `title` what the writer of a
wrong value is told.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

FINITE = sys.float_info.max  # TOML knows inf, which passes every lower limit
Share = Annotated[float, Meta(ge=0.0, le=1.0, title="a number from 0 to 1")]
Level = Annotated[float, Meta(gt=0.0, lt=1.0, title="a number between 0 and 1")]
NotNegative = Annotated[float, Meta(ge=0.0, le=FINITE, title="a number of 0 or more")]
Count = Annotated[int, Meta(ge=1, title="a whole number of 1 or more")]
Whole = Annotated[int, Meta(ge=0, title="a whole number of 0 or more")]
Weeks = Annotated[int, Meta(ge=2, title="a whole number of weeks from 2 on")]
Offset = Annotated[str, Meta(pattern=r"^(Z|[+-]\d\d:?\d\d)$", title="an offset as +02:00 or Z")]
Address = Annotated[
    str,
    Meta(pattern=r"^https?://[^\s/]+\S*$", title="an address that begins with http:// or https://"),
]
UnitKey = Annotated[
    str,
    Meta(
        pattern=r"^([0-9a-fA-F]{2}){1,64}$",
        title="2 to 128 hexadecimal digits, two for each byte",
    ),
]
File = Annotated[Path | None, Meta(title="the path of a file in quotes")]
Folder = Annotated[str, Meta(min_length=1, title="the path of a folder in quotes")]
Form = Literal["html", "json", "md", "pdf"]

# Not shown in messages: whoever knows one may send messages, or link the units of a store.
SECRET = {"secret": True}
ZONE = {"zone": True}


def says(text: str, **more: Any) -> Meta:
    """What a setting means."""
    return Meta(description=text, **more)


class Section(Struct, frozen=True, kw_only=True):
    """The settings under one heading; its docstring stands above them in the file."""
