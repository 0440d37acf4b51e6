"""The commented `citelog.toml` that `citelog init` writes: every setting with its default."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

from analyzer.config.catalogue import PREFIX, Setting, catalogue, sections

_WIDTH = 98
_HEAD = (
    "What `citelog nightly` does. Lines that begin with # show the defaults, or an example where "
    "there is none; take the # away to change one. Paths start at the folder of this file.",
    f"Every setting can also be given as a variable, as {PREFIX}RETENTION_FACTS_WEEKS=13, and on "
    "the command line, as --set retention.facts_weeks=13; the command line wins over variables, "
    "and those over this file.",
)


def template(**chosen: Any) -> str:
    """The file's text; `chosen` settings (store, time_zone, inputs_paths) stand without a #."""
    lines = [line for text in _HEAD for line in _comment(text)]
    for section, says in sections().items():
        if section:
            lines += ["", *_comment(says), f"[{section}]"]
        for setting in catalogue().values():
            if setting.section == section:
                lines += [*([""] if setting.says else []), *_written(setting, chosen)]
    return "\n".join(lines) + "\n"


def _written(setting: Setting, chosen: dict[str, Any]) -> Iterator[str]:
    yield from _comment(setting.says)
    name = setting.dotted.replace(".", "_")
    if name in chosen:
        yield f"{setting.key} = {toml(chosen[name])}"
    elif setting.default in (None, {}, ()):
        yield f"# {setting.key} = {toml(setting.example)}"
    else:
        yield f"# {setting.key} = {toml(setting.default)}"


def _comment(text: str) -> Iterator[str]:
    return (f"# {line}" for line in wrap(text, _WIDTH - 2))


def toml(value: Any) -> str:
    """A value as TOML."""
    match value:
        case bool():
            return "true" if value else "false"
        case str() | Path():
            return json.dumps(str(value), ensure_ascii=False)
        case tuple() | list():
            return f"[{', '.join(map(toml, value))}]"
        case dict():
            pairs = (f"{json.dumps(key)} = {toml(inner)}" for key, inner in value.items())
            return f"{{{', '.join(pairs)}}}"
        case _:
            return str(value)
