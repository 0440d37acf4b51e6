"""The forms that a report is written in, told by the ending of the file."""

from __future__ import annotations

from pathlib import Path

from analyzer import files
from analyzer.errors import UsageError
from analyzer.report import html, json, markdown, pdf
from analyzer.report.model import Report

FORMS = (".html", ".md", ".json", ".pdf")


def write(made: Report, output: Path) -> list[Path]:
    """Write one form of the report; every file that this made, the pictures of .md included.

    Raises `UsageError` for an ending that says no form.
    """
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
