"""A store's week as a report: built once as data, then written as HTML, Markdown or JSON.

`build` asks the questions that `dashboards/weekly.toml` names and settles every word and drawing;
`analyzer.report.html`, `.markdown` and `.json` only give them a form. No SQL stands here.
"""

from analyzer.report.changes import Judging
from analyzer.report.model import Report
from analyzer.report.prices import Given
from analyzer.report.weekly import build

__all__ = ["Given", "Judging", "Report", "build"]
