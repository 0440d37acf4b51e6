"""Commands without pandas: pyarrow imports it wherever it is installed, up to a second for nothing.

Nothing of ours uses it; the client of Spark Connect does, and lets it in again.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Pandas(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is left out of this command", name=fullname)
        return None


_PANDAS = _Pandas()


def leave_pandas_out() -> None:
    """From now on pandas is not there."""
    sys.meta_path.insert(0, _PANDAS)


def let_pandas_in() -> None:
    """From now on it is found again where it is installed."""
    if _PANDAS in sys.meta_path:
        sys.meta_path.remove(_PANDAS)
