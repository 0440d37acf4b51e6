"""What many tests share: where the checkout is, and where real data may be."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from analyzer import assets

# How long an example takes says how busy the machine is, and nothing else.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# What a shell starts in the background ignores Ctrl-C, and so does whatever that starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Files that take long begin first, so that no worker is busy long after the others are done.
LONGEST = (
    "test_nightly_month",
    "test_validation_short",
    "test_nightly_command",
    "test_nightly_looks",
    "test_incidents",
    "test_store_orders",
    "test_rollups",
    "test_report_judged",
    "test_packaging",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, all others as they were found."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


@pytest.fixture(autouse=True)
def own_folders() -> Iterator[None]:
    """A test that names folders of its own, as --dashboards does, names them for itself."""
    before = dict(assets._own)
    yield
    assets._own.clear()
    assets._own.update(before)


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The top of the checkout."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_data(repo_root: Path) -> Path:
    """The folder of real data beside the checkout; tests that need it are skipped without it."""
    data = repo_root.parent / "shared" / "data"
    if not data.is_dir():
        pytest.skip("real data is not beside this checkout (../shared/data)")
    return data
