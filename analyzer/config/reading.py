"""From `citelog.toml`, the environment and the command line to one checked `Config`.

The command line wins over the environment, that over the file, and the file over the defaults.
Everything that is wrong is said at once, each with its place, with what holds instead and the
nearest right name. Relative paths in the file start at the file's folder, others where one is.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

import msgspec

from analyzer.config.catalogue import MINIMUM_EFFECTS, Name, Setting, catalogue
from analyzer.config.layers import (
    NEAR,
    Given,
    Layer,
    of_environment,
    of_file,
    of_pairs,
    path_of,
)
from analyzer.config.settings import Config
from analyzer.errors import UsageError
from analyzer.places import is_address

DEFAULT_FILE = Path("citelog.toml")
VARIABLE = "CITELOG_CONFIG"

# These are a file where they end so, and else the name of something that is known.
_FILES: dict[Name, str] = {("", "tokenizer"): ".json", ("inputs", "mapping"): ".toml"}


def file_in_force(environment: Mapping[str, str]) -> Path | None:
    """The file that the environment names, or `citelog.toml` here; None where there is none."""
    named = environment.get(VARIABLE)
    if named:
        return Path(named)
    return DEFAULT_FILE if DEFAULT_FILE.exists() else None


def load(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    given: Iterable[str] = (),
    options: Mapping[Name, Any] | None = None,
) -> Config:
    """The configuration of a file (None: none), variables, `key=value` pairs, explicit options.

    Raises `UsageError` for everything that is wrong in it.
    """
    wrong: list[str] = []
    layers = [
        of_file(file, wrong) if file else {},
        of_environment(environment or {}),
        of_pairs(given, wrong),
        {name: Given(value, catalogue()[name].dotted) for name, value in (options or {}).items()},
    ]
    merged: Layer = {}
    for layer in layers:
        merged |= layer
    values = {name: _read(catalogue()[name], one, wrong) for name, one in merged.items()}
    if wrong:
        raise UsageError("; ".join(wrong))
    return _agreeing(_built(values), merged)


def _read(setting: Setting, given: Given, wrong: list[str]) -> Any:
    try:
        value = msgspec.convert(given.value, setting.kind, dec_hook=path_of)
    except msgspec.ValidationError:
        wrong.append(f"{given.place}: {_misfit(setting, given.value)}")
        return setting.default
    if setting.zone and value not in available_timezones():
        near = get_close_matches(str(value), available_timezones(), n=1, cutoff=NEAR)
        hint = f"; the nearest is {near[0]}" if near else ""
        wrong.append(f"{given.place}: {_misfit(setting, given.value)}{hint}")
    return _placed(setting, value, given.folder)


def _misfit(setting: Setting, value: Any) -> str:
    if setting.secret or "://" in str(value):
        return f"{setting.dotted} must be {setting.holds}; its value is not shown here"
    return f"{setting.dotted} is {json.dumps(value, default=str)}, but {setting.holds} is needed"


def _placed(setting: Setting, value: Any, folder: Path | None) -> Any:
    """Paths of a file start at its folder."""
    if folder is None or value is None:
        return value
    if isinstance(value, Path):
        return folder / value
    if setting.name in (("report", "folder"), ("inputs", "rollups")):
        return value if is_address(value) else str(folder / value)
    if setting.name == ("inputs", "paths"):
        return tuple(_from(folder, pattern) for pattern in value)
    if setting.name in _FILES and value.endswith(_FILES[setting.name]):
        return str(folder / value)
    return value


def _from(folder: Path, pattern: str) -> str:
    if is_address(pattern):
        return pattern
    start = glob.escape(str(folder)) if glob.has_magic(pattern) else str(folder)
    return str(Path(start) / pattern)


def _built(values: Mapping[Name, Any]) -> Config:
    """The configuration of checked values."""
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(Config):
        mine = {key: value for (section, key), value in values.items() if section == field.name}
        if field.name == MINIMUM_EFFECTS:
            fields[field.name] = Config().minimum_effects | mine
        elif mine:
            fields[field.name] = field.type(**mine)
    top = {key: value for (section, key), value in values.items() if not section}
    return Config(**fields, **top)


def _agreeing(config: Config, given: Layer) -> Config:
    """Settings that are each right, but do not go together."""
    wrong = [
        f"{given[name].place}: {catalogue()[name].dotted} {says}"
        for name, says in _disagreements(config)
        if name in given
    ]
    if wrong:
        raise UsageError("; ".join(wrong))
    return config


def _disagreements(config: Config) -> Iterator[tuple[Name, str]]:
    kept, drift = config.retention, config.drift
    if kept.rollup_weeks and (not kept.facts_weeks or kept.rollup_weeks < kept.facts_weeks):
        needs = "but counts go after their facts; retention.facts_weeks must be no larger"
        yield ("retention", "rollup_weeks"), f"is {kept.rollup_weeks}, {needs}"
    if not drift.least_baseline <= drift.baseline_weeks <= drift.span:
        needs = "least_baseline, baseline_weeks and span must not fall in this order"
        for key in ("least_baseline", "baseline_weeks", "span"):
            yield ("drift", key), f"is {getattr(drift, key)}, but {needs}"
    if drift.candidates > drift.recent:
        needs = "no more of drift.recent weeks can be candidates"
        yield ("drift", "candidates"), f"is {drift.candidates}, but {needs}"
