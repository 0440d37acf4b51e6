"""Every expected trouble as one sentence and an exit code."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import typer

from analyzer.cli import say
from analyzer.errors import CitelogError
from analyzer.places import without_credentials

_WHAT_TO_DO = {
    errno.ENOENT: "there is no such file or folder",
    errno.EACCES: "this user may not open it; change its permissions or run as its owner",
    errno.EPERM: "this user may not do that; change its permissions or run as its owner",
    errno.EROFS: "it lies on a read-only disk; choose another place",
    errno.ENOSPC: "the disk is full; free some space and run the command again",
    errno.EDQUOT: "the disk quota is used up; free some space and run the command again",
    errno.EISDIR: "it is a folder, but a file is needed",
    errno.ENOTDIR: "a part of the path is a file, but a folder is needed",
    errno.ENAMETOOLONG: "the name is longer than the file system takes",
    errno.EMFILE: "too many files are open; raise the limit (ulimit -n)",
}


def sentence(error: CitelogError | OSError | typer.TyperException) -> tuple[str, int]:
    """What to say about `error`, and the exit code it asks for."""
    if isinstance(error, CitelogError):
        return _plain(str(error)), error.exit_code
    if isinstance(error, OSError):
        return _plain(_of_system(error)), 1
    return _plain(_of_usage(error)), error.exit_code


def _plain(said: str) -> str:
    """Whatever quotes an address, what somebody wrote into it to be let in is not shown."""
    return say.plain(without_credentials(said))


def _of_system(error: OSError) -> str:
    where = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    number = error.errno or 0
    what = _WHAT_TO_DO.get(number) or error.strerror or str(error)
    if number == errno.ENOENT and where and not Path(where).parent.exists():
        what = "the folder it is to lie in is not there; make it first"
    return f"{where}: {what}" if where else what


def _of_usage(error: typer.TyperException) -> str:
    said = error.format_message().removeprefix("Invalid value for ").replace("Value error, ", "")
    context = getattr(error, "ctx", None)
    if context is None:
        return f"{said.rstrip('.')}; see citelog --help"
    if placed := _placed(getattr(error, "option_name", None), context):
        return placed
    return f"{said.rstrip('.')}; see {context.command_path} --help"


def _placed(option: str | None, context: typer.Context) -> str | None:
    """Where an option stands that is one of the program, and not of a command."""
    program = context.find_root()
    known = next((one for one in program.command.params if option in one.opts), None)
    if known is None or context is program:
        return None
    command = context.command_path.removeprefix(program.command_path).strip()
    words = filter(None, [program.command_path, option, getattr(known, "metavar", ""), command])
    return f"{option} stands before the command: {' '.join(words)}"
