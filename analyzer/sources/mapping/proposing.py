"""A mapping proposed by looking at the first documents of a file, for a person to look over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from analyzer.errors import CitelogError
from analyzer.sources import values
from analyzer.sources.mapping import evidence
from analyzer.sources.mapping.evidence import Choice, Evidence
from analyzer.sources.mapping.fields import CHUNK, CITED, FAN_OUT, REQUEST, Field
from analyzer.sources.mapping.paths import path as path_named
from analyzer.sources.mapping.writing import Proposal, written

_MOST = 50  # members of lists that are looked at
_LABELLED = re.compile(r"^\[(\d+)\] ", re.MULTILINE)


def proposed(sample: Sequence[Any], name: str) -> str:
    """The text of a mapping for documents like these, which stand in the file of that `name`.

    What was not found is said in comments.
    """
    documents = [each for each in sample if isinstance(each, dict)]
    if not documents:
        raise CitelogError(
            f"{name}: a mapping is for JSON objects or rows, and none stand here; write the log as "
            "one JSON object a line"
        )
    made = _found(documents)
    if (inner := _records_within(documents, made)) is not None:
        made = inner
    return written(made, REQUEST, CHUNK)


def _found(documents: Sequence[Any]) -> Proposal:
    seen = Evidence(documents)
    nothing: list[list[Any]] = [[] for _ in documents]
    made = Proposal(ids=nothing, texts=nothing)
    _chunk_list(seen, made)
    made.each = _fan_out(documents[0])
    outside = list(_outside(seen, made))
    for name, field in REQUEST.items():
        _choose(made.request, name, field, seen, outside)
    _differing(seen, made, outside)
    if made.each:
        _of_each(made)
    _packed(seen, made, outside)
    _passages(seen, made, outside)
    _order(seen, made)
    return made


def _records_within(documents: Sequence[Any], made: Proposal) -> Proposal | None:
    """The same of the members of a list in the documents, where these are the requests."""
    place, inside, _ = (made.chunks or "").partition("[*]")
    if not inside:
        return None
    lists = [values.items(found) for found in Evidence(documents).at(place)]
    members = [each for found in lists for each in found if isinstance(each, dict)]
    inner = _found(members[:_MOST]) if any(len(found) > 1 for found in lists) else None
    if inner is None or not {"answer", "request_id"} & inner.request.keys():
        return None
    inner.records = place
    return inner


def _choose(
    chosen: dict[str, Choice], name: str, field: Field, seen: Evidence, within: Sequence[str]
) -> None:
    free = [path for path in within if path not in {each.path for each in chosen.values()}]
    found = seen.named(field.names, field.fits, free)
    if found is None and field.looks:
        found = seen.looking(field.looks, field.why, free)
    if found:
        chosen[name] = found


def _chunk_list(seen: Evidence, made: Proposal) -> None:
    """The list of objects that have the most of what chunks have; else of texts, else of names."""
    best = 0
    messages: list[str] = []
    for path in seen.paths:
        lists = [found for each in seen.at(path) if (found := values.items(each))]
        members = [each for found in lists for each in found]
        chunk: dict[str, Choice] = {}
        if any(map(_is_message, members)):
            messages.append(f"{path}[*].")
            continue
        # What each message says, or who says it, is a list of strings too, and none of chunks.
        if not members or (isinstance(members[0], str) and path.startswith(tuple(messages))):
            continue
        if all(isinstance(each, dict) for each in members):
            chunk = _of_objects(lists)
            worth = 2 * len(chunk) + 1
        elif all(map(evidence.is_text, members)):
            chunk["text"] = Choice("$item", "is a list of texts")
            worth = 4
        elif all(map(evidence.is_name, members)) and path.rsplit(".", 1)[-1] not in CITED:
            chunk["chunk_id"] = Choice("$item", "is a list of names")
            worth = 1
        else:
            continue
        if worth > best:
            best, made.chunks, made.chunk = worth, path, chunk
            made.ids, made.texts = _taken(seen, path, chunk)


def _is_message(value: Any) -> bool:
    held = values.obj(value)
    return "role" in {**values.obj(held.get("message")), **held}


def _of_objects(lists: Sequence[list[Any]]) -> dict[str, Choice]:
    chunk: dict[str, Choice] = {}
    inner = Evidence([each for found in lists for each in found][:_MOST])
    within = [path for path in inner.paths if "[*]" not in path]
    for name, field in CHUNK.items():
        _choose(chunk, name, field, inner, within)
    taken = {each.path for each in chunk.values()}
    for path in within if "chunk_id" not in chunk else ():
        if path not in taken and all(_names(found, path) for found in lists):
            chunk["chunk_id"] = Choice(path, "holds another name in each member")
            break
    return chunk


def _names(members: Sequence[Any], path: str) -> bool:
    """Whether each member has a name of its own there."""
    found = Evidence(members).at(path)
    alike = all(isinstance(each, str) and evidence.is_name(each) for each in found)
    return alike and len(found) == len(members) == len(set(found))


def _taken(
    seen: Evidence, path: str, chunk: dict[str, Choice]
) -> tuple[list[list[Any]], list[list[Any]]]:
    """The ids and the texts of the chunks, document by document."""

    def each(field: str) -> list[list[Any]]:
        if field not in chunk:
            return [[] for _ in seen.sample]
        own = chunk[field].path
        whole = f"{path}[*]" if own == "$item" else f"{path}[*].{own}"
        return [values.items(found) for found in _in_all(seen, whole)]

    return each("chunk_id"), each("text")


def _in_all(seen: Evidence, path: str) -> list[Any]:
    leads = path_named(path, "map")
    return [leads.of(document, {}) for document in seen.sample]


def _packed(seen: Evidence, made: Proposal, outside: Sequence[str]) -> None:
    """Lists whose members are all ids of the chunks: the cited ones, by their name; else packed."""
    for path in outside:
        listed = [[values.name(one) for one in values.items(each)] for each in _in_all(seen, path)]
        known = [{values.name(one) for one in ids} for ids in made.ids]
        pairs = list(zip(listed, known, strict=True))
        if not any(listed) or not all(set(one) <= ids for one, ids in pairs):
            continue
        if path.rsplit(".", 1)[-1].lower() in CITED:
            made.request["citations"] = Choice(path, "lists ids of the chunks, and its name")
        elif made.packed is None and made.chunk.get("chunk_id", Choice("", "")).path != "$item":
            made.packed = Choice(path, "lists ids of the chunks")
    cited = seen.named(" ".join(CITED[:3]), lambda value: isinstance(value, list), outside)
    if cited and "citations" not in made.request:
        made.request["citations"] = cited


def _passages(seen: Evidence, made: Proposal, outside: Sequence[str]) -> None:
    """A prompt in which the texts stand; for a list of ids, one that holds as many passages."""
    taken = {each.path for each in made.request.values()}
    for path in (each for each in outside if each not in taken):
        prompts = _in_all(seen, path)
        pairs = [
            (prompt, texts) for prompt, texts in zip(prompts, made.texts, strict=True) if texts
        ]
        if pairs and all(evidence.holds(*pair) for pair in pairs):
            made.prompt = Choice(path, "holds the texts of the chunks")
            return
        first, ids = prompts[0], made.ids[0] if made.ids else []
        labels = _LABELLED.findall(first) if isinstance(first, str) else []
        if "text" not in made.chunk and len(labels) >= len(ids) > 1 and isinstance(first, str):
            start = _LABELLED.search(first)
            before = first[: start.start()].rstrip("\n").rsplit("\n", 1)[-1] if start else ""
            made.chunk["text"] = Choice("$passage", f"as many passages as ids stand in {path}")
            made.cut = (path, before)
            return


def _order(seen: Evidence, made: Proposal) -> None:
    if made.chunks and "score" in made.chunk and "rank" not in made.chunk:
        scores = _in_all(seen, f"{made.chunks}[*].{made.chunk['score'].path}")
        lists = [found for each in scores if len(found := values.items(each)) > 1]
        if lists and all(found == sorted(found, reverse=True) for found in lists):
            made.chunk["rank"] = Choice("order", "the scores fall from each member to the next")
    if "position" in made.chunk or made.packed or made.prompt:
        return
    if "rank" in made.chunk:
        made.chunk["position"] = Choice("rank", "no place in the prompt was found")
    else:
        made.chunk["position"] = Choice("order", "neither a rank nor a place was found")


def _of_each(made: Proposal) -> None:
    own = made.request.get("request_id", Choice("$hash", "")).path
    why = f"{made.each} holds an answer of each model"
    made.request |= {
        "request_id": Choice("{$key}/{" + own + "}", why),
        "model": Choice("$key", why),
        "answer": Choice("$value", why),
    }


def _fan_out(document: dict[str, Any]) -> str | None:
    for name, value in document.items():
        several = isinstance(value, dict) and len(value) > 1
        if several and name in FAN_OUT.split() and all(isinstance(v, str) for v in value.values()):
            return str(name)
    return None


def _outside(seen: Evidence, made: Proposal) -> Iterator[str]:
    """Paths that neither lead into the chunks nor hold them; of lists of one, those into it."""
    inner = [place for place in (made.chunks, made.each) if place]
    for path in seen.paths:
        if any(_under(path, place) or _under(place, path) for place in inner):
            continue
        if "[*]" not in path:
            yield path
        elif all(len(values.items(found)) <= 1 for found in seen.at(path.rpartition("[*]")[0])):
            yield path.replace("[*]", "[0]")


def _under(path: str, place: str) -> bool:
    return path == place or path.startswith((f"{place}.", f"{place}["))


def _differing(seen: Evidence, made: Proposal, outside: Sequence[str]) -> None:
    """An id that goes by another name: a name that no two documents share."""
    if "request_id" in made.request or len(seen.sample) < 2:
        return
    taken = {each.path for each in made.request.values()}
    for path in (each for each in outside if each not in taken):
        found = [each for each in seen.at(path) if isinstance(each, str) and evidence.is_name(each)]
        if len(set(found)) == len(seen.sample):
            made.request["request_id"] = Choice(path, "holds another name in each document")
            return
