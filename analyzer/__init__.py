"""citelog: does the model use a chunk less because of where the prompt put it?

    import analyzer

    store = analyzer.open("citations.duckdb")
    store.ingest(["logs/"])
    table = store.ask("cited_by_depth", week="2026-W47")      # a pyarrow Table
    frame = store.frame("funnel", week="2026-W47")            # a polars DataFrame
    store.report("2026-W47", "report.html")

`analyzer.record` builds and checks records inside an application and imports nothing heavy.
"""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars
    import pyarrow as pa

    from analyzer.ingest import Batch
    from analyzer.report import Report
    from analyzer.report.prices import Prices

__all__ = ["Store", "open"]
__version__ = "0.1.0"


def open(path: str | Path) -> Store:
    """The store at `path`; it is made by the first `ingest`."""
    return Store(Path(path))


class Store:
    """One citelog store. Every call opens and closes the file, so a writer is never kept out."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def ingest(self, paths: Sequence[str | Path], **options: Any) -> list[Batch]:
        """Load files, folders, globs or addresses; the options are those of `analyzer.ingest`.

        A file that could not be loaded raises nothing: the `state` and `note` of its batch say so.
        """
        from analyzer import updating

        return updating.ingest(paths, self.path, **{"now": datetime.now(UTC), **options})

    def forget(self, batches: Sequence[str]) -> list[Batch]:
        """Take batches back, each named by its hash or the beginning of it."""
        from analyzer import updating

        return updating.forget(batches, self.path)

    def ask(self, question: str, **parameters: Any) -> pa.Table:
        """The answer to a named question as an Arrow table.

        Raises `UsageError` for a question or parameter that does not exist.
        """
        from analyzer import query, store

        with store.reader(self.path) as con:
            return query.ask(con, question, **parameters)

    def frame(self, question: str, **parameters: Any) -> polars.DataFrame:
        """The same as a polars data frame."""
        import polars

        answer = polars.from_arrow(self.ask(question, **parameters))
        assert isinstance(answer, polars.DataFrame)
        return answer

    def report(
        self, week: str | date, *outputs: str | Path, prices: Prices | None = None
    ) -> Report:
        """The weekly report, written to each output as its ending says: .html, .md, .json or .pdf.

        `week` is 2026-W47 or its Monday. `prices`, as `analyzer.report.Given(2.5)` or by model,
        are of a million prompt tokens. Where they are left out they are those in force, as the
        thresholds are: of `CITELOG_...` variables and of the citelog.toml that CITELOG_CONFIG
        names or that lies here. Raises `NothingThere` where the week has no requests.
        """
        from analyzer import config, report, store, watch
        from analyzer.parameters import week_named
        from analyzer.places import place
        from analyzer.report import forms

        monday = week_named(week) if isinstance(week, str) else week
        held = config.load(config.file_in_force(os.environ), os.environ)
        with store.reader(self.path) as con:
            made = report.build(
                con,
                week=monday,
                version=__version__,
                judging=report.Judging(
                    watch.said(con, self.path),
                    datetime.now(UTC).date(),
                    held.drift_settings,
                    held.effect_settings,
                ),
                prices=held.prices if prices is None else prices,
                tokens_per_second=held.what_if.prefill_tokens_per_second,
            )
        for output in outputs:
            forms.write(made, place(output))
        return made
