"""A mapping file: what it may say, checked when it is read; and the mappings that are shipped.

```toml
about = "one line of what this reads"

[detect]                      # how --format auto knows such a document
has = ["query_id", "results"]

[records]
from = "data"                 # where records stand in a document; absent: the document is one
each = "results"              # one request for each member of a list or an object

[request]                     # fields of the record; a path, a list of paths (the first that is
request_id = "{$key}/{id}"    # there), a template, or a table: constant, path, pattern (its first
route = { constant = "faq" }  # group), values (a dictionary), plus (added to a number)

[chunks]
from = "docs"                 # the list of chunks
limit = "$doc.args.ndoc"      # only so many of them were shown: the rest is left out
packed = 20                   # the first so many by rank stood in the prompt; or a path to the
                              # list of the ids that did, in the order of the prompt
prompt = "prompt"             # where the prompt stands: positions are found in it by the texts

[chunk]
chunk_id = "id"               # "order" is the place in the list, from 1: marked derived
position = "rank"             # the rank again: marked assumed; rank = "position" likewise

[passages]                    # texts that stand only in a prompt: $passage in [chunk]
from = "prompt"
after = "CONTEXTS:\\n"
before = "\\n\\nOUTPUT"
split = '(?m)^\\[(\\d+)\\] '

[markers]
base = 0                      # what the prompt calls the first chunk
pattern = '\\[doc(\\d+)\\]'      # where markers are not [n]

[origins]
position = "derived"
```

Names in paths: `$doc` the whole document, `$record` the record's own part of it, `$key`, `$value`
and `$index` of a member of `each`, `$item` a chunk that is no object, `$order` its place,
`$passage` its text, `$line` the line, `$hash` a hash of the record's content.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path as FilePath
from typing import Any

import msgspec
from msgspec import Struct, field

from analyzer.errors import CitelogError, UsageError
from analyzer.record import Chunk, Origin, Request

SHIPPED = FilePath(__file__).parent.parent / "mappings"
_REQUEST = frozenset(Request.__struct_fields__) - {"chunks", "origins"}
_CHUNK = frozenset(Chunk.__struct_fields__)


class Taken(Struct, forbid_unknown_fields=True):
    """A rule that is more than a path."""

    constant: Any = None
    path: str | list[str] | None = None
    pattern: str | None = None
    values: dict[str, Any] | None = None
    plus: int = 0


Rule = str | list[str] | Taken


class Detect(Struct, forbid_unknown_fields=True):
    """Signs of such a document: paths that lead somewhere, or must not; one that is false once."""

    has: list[str] = []
    lacks: list[str] = []
    some_false: str | None = None


class Records(Struct, forbid_unknown_fields=True, rename={"from_": "from"}):
    """Where records stand in a document, and what one of them is several requests by."""

    from_: str | list[str] | None = None
    each: str | None = None


class Chunks(Struct, forbid_unknown_fields=True, rename={"from_": "from"}):
    """Where the chunks of a record stand, and what tells which of them were packed where."""

    from_: str | list[str] | None = None
    limit: int | str | None = None
    packed: int | str | None = None
    prompt: str | None = None


class Passages(Struct, forbid_unknown_fields=True, rename={"from_": "from"}):
    """How the texts of the chunks are cut out of a prompt."""

    from_: str
    split: str
    after: str | None = None
    before: str | None = None


class Markers(Struct, forbid_unknown_fields=True):
    """How answers call the chunks."""

    base: int | None = None
    pattern: str | None = None


class Origins(Struct, forbid_unknown_fields=True):
    """Where kinds of values come from, as the record has it."""

    rank: Origin | None = None
    position: Origin | None = None
    tokens: Origin | None = None
    cited: Origin | None = None
    requested_at: Origin | None = None


class Mapping(Struct, forbid_unknown_fields=True):
    """A mapping file. `name` is that of the file."""

    request: dict[str, Rule]
    chunk: dict[str, Rule]
    name: str = ""
    about: str = ""
    gives: str = ""
    lacks: str = ""
    detect: Detect = field(default_factory=Detect)
    records: Records = field(default_factory=Records)
    chunks: Chunks = field(default_factory=Chunks)
    passages: Passages | None = None
    markers: Markers = field(default_factory=Markers)
    origins: Origins = field(default_factory=Origins)


def named_mapping(file: FilePath | str) -> Mapping:
    """The mapping in a file, or the shipped one of that name; raises CitelogError."""
    path = FilePath(file)
    if not path.is_file() and (SHIPPED / f"{file}.toml").is_file():
        path = SHIPPED / f"{file}.toml"
    try:
        content = path.read_bytes()
    except OSError as error:
        known = ", ".join(sorted(each.stem for each in SHIPPED.glob("*.toml")))
        raise UsageError(
            f"{file}: no such mapping file could be read; shipped ones are {known}"
        ) from error
    return _checked(content, path)


def _checked(content: bytes, path: FilePath) -> Mapping:
    try:
        mapping = msgspec.toml.decode(content, type=Mapping)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        said = str(error).replace("Invalid", "Wrong").replace("invalid", "wrong")
        raise CitelogError(f"{path}: is no mapping: {said}; see `citelog map`") from error
    mapping.name = path.stem
    for part, rules, known in (
        ("request", mapping.request, _REQUEST),
        ("chunk", mapping.chunk, _CHUNK),
    ):
        if unknown := sorted(set(rules) - known):
            raise CitelogError(
                f"{path}: [{part}] names {unknown[0]!r}; fields are {', '.join(sorted(known))}"
            )
    _check_patterns(mapping, path)
    return mapping


def _check_patterns(mapping: Mapping, path: FilePath) -> None:
    rules = [*mapping.request.values(), *mapping.chunk.values()]
    taken = [rule.pattern for rule in rules if isinstance(rule, Taken) and rule.pattern]
    split = [mapping.passages.split] if mapping.passages else []
    for pattern in [*taken, *split, *filter(None, [mapping.markers.pattern])]:
        try:
            groups = re.compile(pattern).groups
        except re.error as error:
            raise CitelogError(f"{path}: {pattern!r} is no pattern: {error}") from error
        if groups < 1 and pattern not in split:
            raise CitelogError(f"{path}: {pattern!r} has no group; what is taken is its first one")


@cache
def shipped() -> list[Mapping]:
    """The mappings that come with the program, by name."""
    return [_checked(path.read_bytes(), path) for path in sorted(SHIPPED.glob("*.toml"))]
