"""The settings in force for every command: those of `citelog.toml` here, and of the environment.

So `citelog alerts` after a night asks the same store with the same thresholds as the night did.
`CITELOG_CONFIG` names another file; `citelog --set KEY=VALUE ...` wins over all of them. Nothing is
read before a command that needs it is known.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from analyzer.config import Config

DEFAULT_FILE = Path("citelog.toml")

_in_force: list[Config] = []
_pairs: list[str] = []


def file_in_force() -> Path | None:
    """The file that is named by the environment or lies here; None where there is none."""
    from analyzer import config

    return config.file_in_force(os.environ)


def settings() -> Config:
    """Those in force; the defaults where no command asked for them yet."""
    from analyzer.config import Config

    return _in_force[0] if _in_force else Config()


def pairs() -> list[str]:
    """What `--set` before the command's name gave, as KEY=VALUE."""
    return list(_pairs)


def of_store(command: str, store: Path) -> str:
    """A command that is to be typed here; it names `store` where it would ask another one."""
    from analyzer.config import load

    unnamed = load(file_in_force(), os.environ).store
    if store.absolute() == unnamed.absolute():
        return command
    return f"{command} --store {shlex.quote(str(store))}"


def prepare(context: typer.Context, pairs: Sequence[str] = ()) -> None:
    """Read them for the command that is about to run; they stand for options not given."""
    from analyzer.config import load

    _in_force.clear()
    _pairs[:] = pairs
    commands = getattr(context.command, "commands", {})
    asked = commands.get(context.invoked_subcommand or "")
    names = {parameter.name for parameter in asked.params} if asked is not None else set()
    if "config" in names or not {"store", "assume_timezone"} & names:
        return  # the night's commands read their own
    if {"-h", "--help"} & set(context.obj or ()):  # help is given whatever the file says
        return
    _in_force.append(load(file_in_force(), os.environ, pairs))
    said = {name: value for name, value in _options(settings()).items() if name in names}
    if "mapping" in names:  # else `format` is how an answer is written
        said |= {name: value for name, value in _reading(settings()).items() if name in names}
    context.default_map = {str(context.invoked_subcommand): said}


def _options(made: Config) -> dict[str, object]:
    """What stands for an option that is not given."""
    options = {
        "store": str(made.store),
        "time_zone": made.time_zone,
        "max_rejected": made.inputs.max_rejected,
        "assume_timezone": made.inputs.assume_timezone,
        "marker_base": made.inputs.marker_base,
    }
    return {name: value for name, value in options.items() if value is not None}


def _reading(made: Config) -> dict[str, object]:
    """How logs are read, for the commands that read some."""
    asked = {
        "format": made.inputs.format,
        "input_format": made.inputs.format,  # of `check`, whose findings have a format too
        "mapping": made.inputs.mapping,
        "tokenizer": made.tokenizer,
        "route_attribute": made.inputs.route_attribute,
    }
    return {name: value for name, value in asked.items() if value}
