"""The script that draws charts in a page: Vega-Embed with all it needs, as one text.

vl-convert carries it; putting it together takes over a second, so it is kept between runs in the
user's cache folder, under the version it belongs to. Without such a folder it is made each time.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile


def chart_script() -> str:
    file = _cache()
    script = _kept(file) if file else ""
    if not script:
        script = _made()
        if file:
            _keep(script, file)
    return script


def _kept(file: Path) -> str:
    """What is kept; nothing where nothing is, or not as it was written."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _made() -> str:
    import vl_convert

    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return script


def _cache() -> Path | None:
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        folder = base.expanduser()
    except RuntimeError:  # a user without a name, as containers have them, has no home
        return None
    return folder / "citelog" / f"charts-{version('vl-convert-python')}.js"


def _keep(script: str, file: Path) -> None:
    """Write it whole or not at all; a full disk or a read-only home is no reason to stop."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as draft:
            draft.write(script)
        Path(draft.name).replace(file)
    except OSError:
        return
