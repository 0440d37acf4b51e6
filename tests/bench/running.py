"""Run a command as a process of its own and take what it cost.

The processes run in the top of the checkout, with paths from there, so that nothing of the
machine's folders reaches a table.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

TOP = Path(__file__).resolve().parents[2]
BUILD = Path("build")
WORK = BUILD / "bench"

PYTHON = sys.executable
CITELOG = (PYTHON, "-c", "from analyzer.cli.main import main; main()")


class CouldNotRun(Exception):
    """A command that ended with another exit code than 0; says the last line it wrote."""


@dataclass(frozen=True)
class Run:
    """What a process cost: seconds on the clock and on all cores, peak resident memory in MB."""

    seconds: float
    cpu: float
    rss: float
    said: str = ""


def run(*command: str | Path) -> Run:
    """Run `command` to its end; raises `CouldNotRun`.

    The kernel's count of resident memory begins with the parent's, so the process that measures
    has to stay small: it imports nothing large and makes no logs itself.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begun = time.perf_counter()
        process = subprocess.Popen(command, cwd=TOP, stdout=out, stderr=err, env=_environment())
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise CouldNotRun(_last_words(err) or f"ended with {process.returncode}")
        rss = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
        return Run(seconds, used.ru_utime + used.ru_stime, rss, _text(out))


def settle() -> None:
    """Write out what others left in the kernel's buffers, so that the next does not pay for it."""
    os.sync()


def fresh(name: str) -> Path:
    """An empty folder of this name under `WORK`, whatever stood there before."""
    folder = WORK / name
    shutil.rmtree(TOP / folder, ignore_errors=True)
    (TOP / folder).mkdir(parents=True)
    return folder


def pin(cores: int = 2) -> None:
    """Keep this process and all that it starts on as many cores, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


def _environment() -> dict[str, str]:
    """Compiled modules are kept, as they are wherever packages are installed with pip."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _text(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def _last_words(err: IO[str]) -> str:
    lines = _text(err).strip().splitlines()
    return lines[-1].replace(f"{TOP}{os.sep}", "") if lines else ""


def tell(what: str) -> None:
    """Say what is being measured, beside the tables on stdout."""
    print(f"bench: {what}", file=sys.stderr, flush=True)
