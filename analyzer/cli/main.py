"""The command `citelog`: its words, and the one gate where errors become a sentence and a code.

Only a fault of the program itself shows a traceback; everything that can be expected of files,
stores and people is said in one sentence on stderr.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from typer.main import get_command

import analyzer
from analyzer import assets
from analyzer.cli import (
    alarms,
    asking,
    checking,
    comparing,
    configured,
    effects,
    erasing,
    formats,
    investigating,
    loading,
    nightly,
    remarks,
    reporting,
    requesting,
    rolling,
    say,
    shell,
    simulating,
    swap,
    what_if,
)
from analyzer.cli.trouble import sentence
from analyzer.errors import CitelogError, was_interrupted
from analyzer.leaving_out import leave_pandas_out

INTERRUPTED = 130

app = typer.Typer(
    help="Does the model use a chunk less because of where the prompt put it, "
    "and did that change this week?",
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for room in (
    loading,
    formats,
    asking,
    alarms,
    remarks,
    investigating,
    requesting,
    comparing,
    effects,
    reporting,
    rolling,
    nightly,
    checking,
    shell,
    erasing,
    simulating,
    what_if,
    swap,
):
    room.add_commands(app)


def _version(asked: bool) -> None:
    if asked:
        say.data(f"citelog {analyzer.__version__}")
        raise typer.Exit


@app.callback()
def _program(
    context: typer.Context,
    queries: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="A folder of queries of your own; they win over those of the same name.",
        ),
    ] = None,
    dashboards: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A folder of dashboards of your own, used the same way."),
    ] = None,
    set: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Any setting of citelog.toml, for this command."
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    if queries is not None:
        assets.use("queries", queries)
    if dashboards is not None:
        assets.use("dashboards", dashboards)
    configured.prepare(context, set or [])


def main() -> None:
    """Run the command line and leave with its exit code."""
    leave_pandas_out()
    if sys.stdout is None:  # closed by whoever started us
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
    say.use_any_character()
    try:
        code = run(sys.argv[1:] or ["--help"])
    except say.PipeClosed:
        code = say.CLOSED_PIPE
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command line; its exit code."""
    try:
        code = _invoke(arguments)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except RuntimeError as error:
        if not was_interrupted(error):
            raise
        code = INTERRUPTED
    except (CitelogError, OSError, typer.TyperException) as error:
        said, code = sentence(error)
        say.talk(said)
        return code
    if code == INTERRUPTED:
        say.talk("stopped by Ctrl-C; the store holds what was last published")
    return code


def _invoke(arguments: list[str]) -> int:
    returned = get_command(app).main(
        arguments, prog_name="citelog", standalone_mode=False, obj=arguments
    )
    return returned if isinstance(returned, int) else 0
