"""What the figures were taken on, without which they say nothing. No name and no folder."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .running import run

OURS = ("citelog", "duckdb", "msgspec", "pyarrow", "numpy", "rensa", "pandas")
PEERS = ("chdb", "pandas", "pyarrow", "numpy")


def facts(peers: str) -> Iterator[str]:
    """One line each, as a Markdown list; `peers` is the interpreter that has chdb and pandas."""
    pinned = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield f"- {_processor()}, {pinned} of {os.cpu_count()} cores, {_memory():.0f} GB of memory"
    yield f"- {platform.system()}, Python {platform.python_version()}"
    yield f"- citelog and the floor: {_versions(OURS)}"
    yield f"- peers: {run(peers, '-m', __name__, *PEERS).said.strip()}"
    yield f"- {load()}"


def load() -> str:
    """How busy the machine is; ratios bear some of it, seconds none."""
    return f"load average {os.getloadavg()[0]:.1f}"


def _processor() -> str:
    """Linux keeps the name of the processor from Python."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _memory() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def _versions(packages: Sequence[str]) -> str:
    return ", ".join(f"{name} {_version(name)}" for name in packages)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


if __name__ == "__main__":
    print(_versions(sys.argv[1:]))
