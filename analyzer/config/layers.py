"""What was given, and where: by the file, by variables, on the command line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec

from analyzer.config.catalogue import PREFIX, Name, Setting, catalogue, sections
from analyzer.config.lines import line_of, place_of
from analyzer.errors import CitelogError, UsageError

NEAR = 0.6
_CROWDED = re.compile(r"\s*(\[[\w.-]+\])\s*[^\s#]")  # a section with more beside it


@dataclass(frozen=True)
class Given:
    """What somebody gave for one setting, and where."""

    value: Any
    place: str
    folder: Path | None = None  # where relative paths start


Layer = dict[Name, Given]


class Wrong(Exception):
    """One thing that is wrong; collected, so that all are said at once."""


def strangers(environment: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each variable that looks like a setting and is none."""
    known = {setting.variable: setting for setting in catalogue().values()}
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in known and name != f"{PREFIX}CONFIG":
            near = get_close_matches(name, known, n=1, cutoff=0.85)
            if near:
                yield f"{name} is no setting and does nothing; the nearest is {near[0]}"


def of_file(file: Path, wrong: list[str]) -> Layer:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CitelogError(f"{file}: there is no such file; citelog init writes one") from None
    except UnicodeDecodeError:
        raise CitelogError(f"{file}: is no UTF-8 text, as TOML must be") from None
    try:
        held = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(_no_toml(file, error, text)) from None
    found: Layer = {}
    for path, value in _entries(held):
        place = f"{file}:{line_of(text, path)}"
        try:
            setting = _known(path)
        except Wrong as error:
            wrong.append(f"{place}: {error}")
        else:
            found[setting.name] = Given(value, place, file.parent)
    return found


def _no_toml(file: Path, error: tomllib.TOMLDecodeError, text: str) -> str:
    line, column = place_of(error, text)
    where = f"from column {column}" if column else "where the file ends"
    holds = "text stands in quotes, lists in brackets, and a name is given once"
    crowded = _CROWDED.match(text.splitlines()[line - 1]) if column else None
    if crowded:
        holds = f"{crowded[1]} stands on a line of its own, and its settings below it"
    return f"{file}:{line}: this is no TOML {where}; {holds}"


def _entries(held: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every setting of a parsed file with its path; what is no known section as a whole."""
    for name, value in held.items():
        if name in sections() and isinstance(value, dict):
            yield from (((name, key), inner) for key, inner in value.items())
        else:
            yield (name,), value


def _known(path: tuple[str, ...]) -> Setting:
    """The setting of a path; what is wrong with the path, where there is none."""
    section, key = ("", path[0]) if len(path) == 1 else (path[0], path[1])
    if (section, key) in catalogue():
        return catalogue()[section, key]
    if not section and key in sections():
        raise Wrong(f"{key} is a section; write [{key}] and its settings below it")
    elsewhere = [one.section for one in catalogue().values() if one.key == key and one.section]
    if elsewhere and not section:
        raise Wrong(f"{key} belongs into a section; write it below [{elsewhere[0]}]")
    raise Wrong(_unknown(section, key))


def _unknown(section: str, key: str) -> str:
    if section not in sections():
        return _no_section(section, key)
    names = [one.key for one in catalogue().values() if one.section == section]
    if not section:
        names += [f"[{name}]" for name in sections() if name]
    near = get_close_matches(key, [name.strip("[]") for name in names], n=1, cutoff=NEAR)
    where = f"[{section}]" if section else "the file"
    nearest = next((name for name in names if near and name.strip("[]") == near[0]), None)
    hint = f"the nearest is {nearest}" if nearest else f"it has {', '.join(names)}"
    return f"{where} has no setting {key}; {hint}"


def _no_section(section: str, key: str) -> str:
    names = [f"{one.section}.{one.key}" for one in catalogue().values() if one.section]
    near = get_close_matches(f"{section}.{key}", names, n=1, cutoff=NEAR)
    sections_are = ", ".join(f"[{name}]" for name in sections() if name)
    hint = f"the nearest is {near[0]}" if near else f"the sections are {sections_are}"
    return f"there is no section [{section}]; {hint}"


def of_environment(environment: Mapping[str, str]) -> Layer:
    return {
        setting.name: Given(_of_text(setting, environment[setting.variable]), setting.variable)
        for setting in catalogue().values()
        if environment.get(setting.variable)
    }


def of_pairs(pairs: Iterable[str], wrong: list[str]) -> Layer:
    found: Layer = {}
    for pair in pairs:
        dotted, equals, text = pair.partition("=")
        try:
            setting = _known(tuple(dotted.strip().split(".", 1)))
            if not equals:
                raise Wrong(f"{dotted} has no value; write {dotted}=...")
        except Wrong as error:
            wrong.append(f"--set {dotted}: {error}")
        else:
            found[setting.name] = Given(_of_text(setting, text), f"--set {dotted}")
    return found


def _of_text(setting: Setting, text: str) -> Any:
    """A value given as text: TOML where it reads as such, else as it stands; a list by commas."""
    if _takes(setting, str) or _takes(setting, Path):
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        is_list = isinstance(setting.default, tuple)
        return [part.strip() for part in text.split(",")] if is_list else text


def _takes(setting: Setting, kind: type) -> bool:
    """Whether a plain text is a value of this kind, as it is of a path."""
    return isinstance(_tried(setting, "x"), kind) or setting.secret or setting.zone


def _tried(setting: Setting, value: Any) -> Any:
    try:
        return msgspec.convert(value, setting.kind, dec_hook=path_of)
    except msgspec.ValidationError:
        return None


def path_of(kind: type, value: Any) -> Any:
    """A path from text, for `msgspec`; a path is never empty."""
    if kind is Path and isinstance(value, str) and value:
        return Path(value)
    raise TypeError
