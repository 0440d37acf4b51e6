"""`citelog what-if`: what another ordering, budget, filter or top-k would have made of the logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analyzer import numbers
from analyzer.cli import asking, configured, effects, options, say
from analyzer.errors import NothingThere, UsageError

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.cli.what_if_swept import Kind
    from analyzer.measures.rows import Scope
    from analyzer.whatif import Change, Counting


Tell = Callable[[Sequence[dict[str, Any]], str], Iterable[str]]


class Swept(StrEnum):
    """What can be tried from tight to loose; the words of `what_if_swept.KINDS`."""

    top_k = "top_k"
    budget = "budget"
    per_doc_cap = "per_doc_cap"
    dedupe = "dedupe"

    @property
    def kind(self) -> Kind:
        """Its words."""
        from analyzer.cli.what_if_swept import KINDS

        return KINDS[self.value]


def add_commands(app: typer.Typer) -> None:
    """Put this room's command into `app`."""
    app.command(name="what-if")(what_if)


def what_if(
    store: options.Store = options.DEFAULT_STORE,
    ordering: Annotated[
        str | None, typer.Option(help="best_first, edges_first and others that follow the rank.")
    ] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", help="At most so many chunks.")] = None,
    budget: Annotated[int | None, typer.Option(help="At most so many tokens of chunks.")] = None,
    dedupe: Annotated[bool, typer.Option("--dedupe", help="Leave near-copies out.")] = False,
    per_doc_cap: Annotated[
        int | None, typer.Option("--per-doc-cap", help="At most so many chunks of a document.")
    ] = None,
    sweep: Annotated[
        Swept | None,
        typer.Option(help="Try one limit from tight to loose, and say where recall turns flat."),
    ] = None,
    week: effects.Week = None,
    since: effects.Since = None,
    route: effects.Route = None,
    model: effects.Model = None,
    release: effects.Release = None,
    illustrative: Annotated[
        bool,
        typer.Option(
            "--illustrative", help="Also by the illustrative curve: calculated, not measured."
        ),
    ] = False,
    as_format: options.AsFormat = None,
    output: options.Output = None,
) -> None:
    """Replay the logged candidates under other rules; without any, find the best three changes.

    Nothing of it comes from new answers: facts are of the logged ones, and the change of citations
    is what the route's own model did with the places of its prompts.
    """
    from analyzer.store import reader
    from analyzer.whatif import Change, Counting, too_few

    change = Change(ordering, top_k, budget, dedupe, per_doc_cap)
    _check(change, sweep, output)
    counting = Counting.of(configured.settings(), illustrative=illustrative)
    with reader(store) as con:
        scope = effects.scope_of(con, week, since, route, model, release)
        found = _found(con, scope, change, sweep, counting)
        if not found.num_rows:
            raise NothingThere(f"{store}: {_missing(con, scope)} {effects.named(scope)}")
        few = None if sweep or change != Change() else too_few(con, scope)
    if output is not None:
        _write(found, sweep, scope, as_format, output)
    elif as_format is not None:
        asking.show(found, as_format, None)
    else:
        for line in _words(sweep, few)(found.to_pylist(), effects.named(scope)):
            say.data(line)


def _check(change: Change, sweep: Swept | None, output: Path | None) -> None:
    if sweep and getattr(change, sweep.kind.field):
        option = sweep.kind.option
        raise UsageError(f"--sweep {sweep} tries what {option} fixes; leave {option} out")
    if output is not None and output.suffix == ".html" and not sweep:
        raise UsageError(f"{output}: only a sweep is drawn; add --sweep top_k, or write .json")


def _found(
    con: Connection, scope: Scope, change: Change, sweep: Swept | None, counting: Counting
) -> pa.Table:
    from analyzer import whatif

    if sweep:
        return whatif.sweep(con, scope, sweep.kind.field, change, counting)
    if change == whatif.Change():
        return whatif.best_of(con, scope, counting)
    return whatif.what_if(con, scope, [change], counting)


def _missing(con: Connection, scope: Scope) -> str:
    from analyzer import elsewhere, whatif

    if elsewhere.engine_of(con):
        return "the requests are elsewhere, so no answer can be replayed"
    if not whatif.replayable(con, scope):
        return "no answer is held whose packed chunks all have a rank"
    if not whatif.enough(con, scope):
        return f"no change is proposed from fewer than {whatif.LEAST} answers of known citations"
    return "no change that was tried gains anything"


def _words(sweep: Swept | None, few: dict[str, int] | None) -> Tell:
    """How the rows are told; `few`: of routes that no change is proposed for."""
    from analyzer.cli import what_if_swept, what_if_words

    if few is not None:
        return partial(what_if_words.proposed, few=few)
    return partial(what_if_swept.swept, kind=sweep.kind) if sweep else what_if_words.told


def _write(
    found: pa.Table,
    sweep: Swept | None,
    scope: Scope,
    as_format: options.Format | None,
    output: Path,
) -> None:
    """The rows as a file, or a sweep as a page, and what went into it."""
    if sweep and output.suffix == ".html" and as_format is None:
        from analyzer.cli import what_if_page

        what_if_page.write(output, found, effects.named(scope), sweep.kind)
    else:
        asking.show(found, as_format, output)
    what = f"{sweep.kind.tried} tried" if sweep else "what if, replayed"
    changes = numbers.counted(found.num_rows, "change")
    routes = numbers.counted(len(set(found["route"].to_pylist())), "route")
    say.data(f"{output}: {what} {effects.named(scope)}, {changes} on {routes}")
