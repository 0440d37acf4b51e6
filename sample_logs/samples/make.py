"""Write sample_logs/formats: a small shop's answers as each tool would log them.

Everything in them is invented. `python sample_logs/samples/make.py` writes all of it again.
"""

from __future__ import annotations

import sys
from pathlib import Path

import calls
import exports
import frameworks
import spans
from shop import Folder


def main() -> None:
    """Write every file into the folder that is named, else beside this one."""
    named = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "formats"
    for part in (spans, exports, calls, frameworks):
        part.write(Folder(named))


if __name__ == "__main__":
    main()
