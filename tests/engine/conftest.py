"""A server of Spark Connect for the tests of this folder: Sail, or the one named.

`make test-spark` names a real cluster in CITELOG_SPARK and folders that it sees in the usual way.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator

import pytest

# A process of its own, as it takes Ctrl-C for itself; it ends when its stdin is closed.
SAIL = (
    "import sys; from pysail.spark import SparkConnectServer as S; s = S('127.0.0.1', 0); "
    "s.start(background=True); print(s.listening_address[1], flush=True); sys.stdin.read()"
)


@pytest.fixture(scope="session")
def spark() -> Iterator[str]:
    """The address of a server that runs what the client asks, workers and all."""
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
    if named := os.environ.get("CITELOG_SPARK"):
        yield named
        return
    pytest.importorskip("pysail", reason="Sail is not here; make test installs it")
    with subprocess.Popen(
        [sys.executable, "-c", SAIL],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as server:
        assert server.stdout is not None
        yield f"sc://127.0.0.1:{server.stdout.readline().strip()}"


@pytest.fixture(params=["duckdb", "spark"])
def named(request: pytest.FixtureRequest) -> str:
    """The engine, as --engine names it: each test that asks for it runs on both."""
    return "duckdb" if request.param == "duckdb" else str(request.getfixturevalue("spark"))
