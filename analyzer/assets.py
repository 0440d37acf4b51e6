"""Where `queries/` and `dashboards/` are, and nowhere else.

They are data, kept at the top of a checkout and shipped inside the package in a wheel. They are
looked for beside this file only: the current working directory may hold folders or packages of
the same names that belong to somebody else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from analyzer.errors import CitelogError, UsageError

Name = Literal["queries", "dashboards"]

_own: dict[Name, Path] = {}


def use(name: Name, path: Path) -> None:
    """Look in `path` before the shipped folder; for `--queries DIR` and `--dashboards DIR`."""
    if not path.is_dir():
        raise UsageError(f"{path} is no folder; --{name} takes a folder of your own {name}")
    _own[name] = path


def places(name: Name) -> list[Path]:
    """Every folder to look in, the user's own first: a file there replaces the shipped one."""
    return [*([_own[name]] if name in _own else []), shipped(name)]


def folder(name: Name) -> Path:
    """The folder that wins: the user's own where one was given, else the shipped one."""
    return places(name)[0]


def shipped(name: Name) -> Path:
    """The folder that came with the program; what the store itself is made of is read here.

    Raises `CitelogError` where the installation lacks it.
    """
    package = Path(__file__).resolve().parent
    checkout = package.parent
    if (package / name).is_dir():
        return package / name
    if (checkout / "pyproject.toml").is_file() and (checkout / name).is_dir():
        return checkout / name
    raise CitelogError(f"{package} lacks its {name} folder; install citelog again")
