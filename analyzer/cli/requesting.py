"""`citelog request`: one request, chunk by chunk in prompt order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analyzer.cli import bringing, options, pseudonyms, say

if TYPE_CHECKING:
    from analyzer.oncall.requests import Request

_LABELS = ("route", "model", "release", "prompt_version", "index_version")


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(request)


def request(
    request_id: Annotated[str, typer.Argument(help="Its id, or enough of its beginning.")],
    store: options.Store = options.DEFAULT_STORE,
    as_json: Annotated[bool, typer.Option("--json", help="Write it as JSON.")] = False,
    pseudonymise_ids: pseudonyms.Wanted = False,
    pseudonym_key: pseudonyms.Key = None,
    facts: bringing.Folder = None,
    engine: bringing.Engine = None,
) -> None:
    """Show what became of every chunk of one request, and where its evidence was lost."""
    from analyzer.oncall.requests import request as found
    from analyzer.store import settings

    hidden = pseudonyms.wanted(pseudonymise_ids, pseudonym_key)
    way = bringing.asked(facts, engine, store)
    bringing.check_open(way, hidden=hidden)
    with (
        pseudonyms.reader(store, pseudonymise_ids, pseudonym_key) as con,
        bringing.named(con, way, request_id),
    ):
        one = found(con, pseudonyms.named(con, request_id) if hidden else request_id)
        zone = str(settings(con)["time_zone"])
    if as_json:
        say.data(_json(one))
    else:
        for line in screen(one, zone):
            say.data(say.plain(line))


def screen(one: Request, zone: str) -> Iterator[str]:
    """The lines of a request."""
    from analyzer import names, numbers
    from analyzer.oncall.requests import triage

    facts = one.facts
    labels = (
        f"{name.replace('_', ' ')} {names.shown(facts[name])}"
        for name in _LABELS
        if facts[name] != "unknown"
    )
    yield names.shown(facts["request_id"], 200)
    yield _time(facts, zone)
    yield ", ".join(labels)
    yield f"ordering {names.shown(_ordering(facts))}; {facts['outcome']}{_judged(facts)}"
    counts = [f"{facts['retrieved']} retrieved", f"{numbers.count(facts['packed'])} packed"]
    counts += [f"{numbers.count(facts['cited'])} cited", f"{numbers.count(facts['stray'])} stray"]
    yield f"{', '.join(counts)}; {numbers.count(facts['context_tokens'])} context tokens"
    yield from ("", *triage(one), "")
    yield from _table(one)


def _time(facts: dict[str, Any], zone: str) -> str:
    from datetime import UTC
    from zoneinfo import ZoneInfo

    local = facts["requested_at"].replace(tzinfo=UTC).astimezone(ZoneInfo(zone))
    return f"{local:%Y-%m-%d %H:%M:%S} {zone}"


def _ordering(facts: dict[str, Any]) -> str:
    seen = str(facts["ordering_seen"]).replace("_", " ").replace("|", " or ")
    return f"{seen}, declared {facts['ordering']}" if facts["ordering"] else seen


def _judged(facts: dict[str, Any]) -> str:
    if facts["correct"] is None:
        return ""
    return ", judged right" if facts["correct"] else ", judged wrong"


def _table(one: Request) -> Iterator[str]:
    import pyarrow as pa

    from analyzer.cli import table

    rows = [_row(each) for each in one.chunks]
    if not rows:
        yield "no chunk was retrieved"
        return
    lines = table.aligned(pa.Table.from_pylist(rows), table.terminal_width()).splitlines()
    cut = len(one.packed)
    yield from lines[: cut + 1]
    if one.not_packed:
        yield "not packed"
        yield from lines[cut + 1 :]


def _row(chunk: dict[str, Any]) -> dict[str, Any]:
    from analyzer import names, numbers
    from analyzer.oncall.requests import fate

    score = chunk["score"] if chunk["rerank_score"] is None else chunk["rerank_score"]
    return {
        "position": chunk["position"],
        "rank": chunk["rank"],
        "packed rank": chunk["packed_rank"],
        "score": numbers.UNKNOWN if score is None else f"{score:.3f}",
        "tokens": chunk["tokens"],
        "copy of": chunk["copy_of"],
        "fate": fate(chunk),
        "expected": {None: "", True: "expected", False: ""}[chunk["expected"]],
        "place": chunk["place"] or "",
        "chunk": names.shown(chunk["chunk_id"], 40),
        "document": names.shown(chunk["doc_id"], 40) if chunk["doc_id"] else "",
    }


def _json(one: Request) -> str:
    from analyzer.cli.table import exact
    from analyzer.oncall.requests import fate, triage

    chunks = [{**each, "fate": fate(each)} for each in one.chunks]
    whole = {**one.facts, "triage": triage(one), "chunks": chunks}
    return json.dumps(exact(whole), ensure_ascii=False, indent=1)
