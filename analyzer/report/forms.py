"""The forms that a report is written in, told by the ending of the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from analyzer import files, storage
from analyzer.errors import UsageError
from analyzer.places import Place
from analyzer.report import html, json, markdown, pdf
from analyzer.report.model import Report

FORMS = (".html", ".md", ".json", ".pdf")


def write(made: Report, output: Place) -> Sequence[Place]:
    """Write one form of the report; every file that this made, the pictures of .md included.

    Raises `UsageError` for an ending that says no form.
    """
    return _file(made, output) if isinstance(output, Path) else _objects(made, output)


def _objects(made: Report, address: str) -> list[Place]:
    """The same under an address; pictures first, so that no page is there without them."""
    folder, _, name = address.rpartition("/")
    with TemporaryDirectory(prefix="citelog-") as here:
        written = _file(made, Path(here, name))
        for file in reversed(written):
            storage.write(f"{folder}/{file.name}", file.read_bytes())
    return [f"{folder}/{file.name}" for file in written]


def _file(made: Report, output: Path) -> list[Path]:
    if output.suffix not in FORMS:
        raise UsageError(f"{output}: its ending says no form; end it in {', '.join(FORMS)}")
    if output.suffix == ".md":
        return markdown.write(made, output)
    if output.suffix == ".pdf":
        content = pdf.render(made)
        with files.written_whole(output) as part:
            part.write_bytes(content)
        return [output]
    text = html.render(made) if output.suffix == ".html" else json.render(made)
    files.write_text(output, text)
    return [output]
