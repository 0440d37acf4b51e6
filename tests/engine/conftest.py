"""A server of Spark Connect for the tests of this folder: Sail, or the one named.

`make test-spark` names a real cluster in CITELOG_SPARK and folders that it sees in the usual way.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator

import pytest
from bench.scale import serving


@pytest.fixture(scope="session")
def spark() -> Iterator[str]:
    """The address of a server that runs what the client asks, workers and all."""
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
    if named := os.environ.get("CITELOG_SPARK"):
        yield named
        return
    pytest.importorskip("pysail", reason="Sail is not here; make test installs it")
    with serving(sys.executable) as server:  # apart, as it takes Ctrl-C for itself
        yield server.address


@pytest.fixture(params=["duckdb", "spark"])
def named(request: pytest.FixtureRequest) -> str:
    """The engine, as --engine names it: each test that asks for it runs on both."""
    return "duckdb" if request.param == "duckdb" else str(request.getfixturevalue("spark"))
