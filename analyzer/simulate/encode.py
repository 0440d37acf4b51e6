"""Traffic arrays to the JSON lines of record.md, fast: nearly every piece is looked up, not made.

What a chunk is (id, document, fingerprint, tokens) is written once per chunk of the index; its
scores and where it stood (rank, position, cited) come from tables of all values they can take. A
line is then the concatenation of its pieces.
"""

from __future__ import annotations

import json
from functools import cache

import numpy as np

from analyzer.simulate.arrays import Ints, Strings
from analyzer.simulate.generate import Traffic
from analyzer.simulate.heads import as_json, heads
from analyzer.simulate.logged import Logged, cited_markers, instants, labels, request_ids
from analyzer.simulate.pool import Pool
from analyzer.simulate.retrieve import SCORE_STEPS
from analyzer.simulate.scenario import Layout
from analyzer.simulate.traits import Missing
from analyzer.simulate.words import Prose

_PLAIN_TAIL = "]}\n"


class Encoder:
    """Writes the records of one route; keeps the pieces that it made."""

    def __init__(self, layout: Layout, pool: Pool, prose: Prose) -> None:
        self._layout, self._pool, self._prose = layout, pool, prose
        self._chunks: dict[tuple[Missing, ...], Strings] = {}

    def requests(self, traffic: Traffic, logged: Logged) -> list[str]:
        """One line a request, in order, each without its line end."""
        if not len(traffic.k):
            return []
        pieces = _laid_out(
            traffic,
            np.array(heads(traffic, logged), dtype=object),
            self._chunk_pieces(traffic, logged),
            np.array(self._tails(traffic, logged), dtype=object),
        )
        return "".join(pieces.tolist()).split("\n")[:-1]

    def _chunk_pieces(self, traffic: Traffic, logged: Logged) -> list[Strings]:
        missing = traffic.route.logging.missing
        whole = self._pieces(traffic, (), logged)
        if not missing or not logged.faulty.any():
            return whole
        broken = self._pieces(traffic, missing, logged)
        faulty = logged.faulty[traffic.chunks.request]
        return [np.where(faulty, b, w) for b, w in zip(broken, whole, strict=True)]

    def _pieces(
        self, traffic: Traffic, missing: tuple[Missing, ...], logged: Logged
    ) -> list[Strings]:
        chunks = traffic.chunks
        pieces = [self._known(chunks.code, missing)]
        if "score" not in missing:
            pieces.append(_scores("score")[np.clip(chunks.score, 0, SCORE_STEPS)])
        else:
            pieces.append(np.full(len(chunks.code), "", dtype=object))
        if traffic.route.reranker:
            pieces.append(_scores("rerank_score")[np.clip(chunks.rerank_score, 0, SCORE_STEPS)])
        pieces.append(self._places(traffic, "rank" in missing, logged))
        return pieces

    def _known(self, code: Ints, missing: tuple[Missing, ...]) -> Strings:
        """What the index says about each chunk, made when it is first retrieved."""
        size = self._pool.size * self._pool.editions
        table = self._chunks.setdefault(missing, np.full(size, None, dtype=object))
        used = np.zeros(size, dtype=np.bool_)
        used[code] = True
        for new in np.flatnonzero(used & (table == None)).tolist():  # noqa: E711 (elementwise)
            table[new] = self._chunk(new, missing)
        return np.asarray(table[code], dtype=object)

    def _chunk(self, code: int, missing: tuple[Missing, ...]) -> str:
        pool = self._pool
        fields: dict[str, object] = {"chunk_id": pool.chunk_id(code)}
        if "doc_id" not in missing:
            fields |= pool.document_fields(code)
        if "tokens" not in missing:
            fields["tokens"] = int(pool.tokens[code])
        if "text" not in missing:
            fields |= self._content(code)
        return as_json(fields)[:-1]

    def _content(self, code: int) -> dict[str, object]:
        pool = self._pool
        if self._layout.content == "fingerprints":
            return {"text_hash": pool.hashes[code], "signature": pool.signatures[code]}
        if self._layout.content == "none":
            return {}
        edition, chunk = divmod(code, pool.size)
        tokens, exact = int(pool.tokens[code]), bool(pool.exact[code])
        return {"text": self._prose.chunk(chunk, tokens, edition, exact)}

    def _places(self, traffic: Traffic, rankless: bool, logged: Logged) -> Strings:
        chunks = traffic.chunks
        flags = self._layout.citations == "flags" and not traffic.route.logging.marker_shift
        said = flags & logged.citations[chunks.request] & (chunks.position > 0)
        state = np.where(said, 1 + chunks.cited, 0)
        last = np.append(chunks.request[1:] != chunks.request[:-1], True)
        width = int(logged.position.max(initial=0)) + 1
        table = _place_table(int(chunks.rank.max(initial=1)) + 1, width, rankless)
        which = ((chunks.rank * width + logged.position) * 3 + state) * 2 + last
        return np.asarray(table[which], dtype=object)

    def _tails(self, traffic: Traffic, logged: Logged) -> list[str]:
        tails = [_PLAIN_TAIL] * len(traffic.k)
        if self._layout.citations != "flags" or traffic.route.logging.marker_shift:
            ends = self._citation_ends(traffic, logged)
            tails = ["]" + end + "}\n" for end in ends]
        judged = traffic.judged
        ids = labels(traffic)
        for label in np.flatnonzero(judged.inline).tolist():
            row = int(judged.row[label])
            inner = as_json(_label(bool(judged.correct[label]), ids[label]))[1:]
            tails[row] = tails[row][:-2] + "," + inner + "\n"
        return tails

    def _citation_ends(self, traffic: Traffic, logged: Logged) -> list[str]:
        markers = cited_markers(traffic, logged)
        known = logged.citations.tolist()
        if self._layout.citations != "markers":
            lists = zip(markers, known, strict=True)
            return [f',"citations":{as_json(cited)}' if k else "" for cited, k in lists]
        names = request_ids(traffic)
        return [
            f',"answer":{as_json(self._prose.answer(name, m))}' if k else ""
            for name, m, k in zip(names, markers, known, strict=True)
        ]


def judgements(traffic: Traffic) -> tuple[Ints, list[str]]:
    """The labels that come later: when (milliseconds since 1970), and their lines."""
    judged = traffic.judged
    later = np.flatnonzero(~judged.inline)
    ms = traffic.requested_ms[judged.row[later]] + judged.delay_ms[later]
    names, ids = request_ids(traffic), labels(traffic)
    lines = [
        as_json(
            {"request_id": names[judged.row[label]], "judged_at": at}
            | _label(bool(judged.correct[label]), ids[label])
            | {"judge": "panel"}
        )
        for label, at in zip(later.tolist(), instants(ms), strict=True)
    ]
    return ms, lines


def revision(line: str, number: int) -> str:
    """The same record as a later revision."""
    return line[:-1] + f',"revision":{number}}}'


def before_citing(line: str) -> str:
    """The record as it was logged before it was known what the answer cites."""
    record = json.loads(line)
    for field in ("citations", "answer"):
        record.pop(field, None)
    for chunk in record["chunks"]:
        chunk.pop("cited", None)
    return as_json(record)


def _label(correct: bool, expected: str | None) -> dict[str, object]:
    named = {"expected_chunk_ids": [expected]} if expected is not None else {}
    return {"correct": correct, **named}


def _laid_out(traffic: Traffic, heads: Strings, pieces: list[Strings], tails: Strings) -> Strings:
    """All pieces in the order of the text: a head, its chunks' pieces, a tail, and so on."""
    each, request = len(pieces), traffic.chunks.request
    counts = np.bincount(request, minlength=len(heads))
    start = np.concatenate([[0], np.cumsum(counts)[:-1]]) * each + 2 * np.arange(len(heads))
    text = np.empty(len(request) * each + 2 * len(heads), dtype=object)
    text[start], text[start + counts * each + 1] = heads, tails
    first = np.arange(len(request)) * each + 2 * request + 1
    for number, piece in enumerate(pieces):
        text[first + number] = piece
    return text


@cache
def _scores(field: str) -> Strings:
    steps = range(SCORE_STEPS + 1)
    return np.array([f',"{field}":{step / SCORE_STEPS:.5f}' for step in steps], dtype=object)


@cache
def _place_table(ranks: int, positions: int, rankless: bool) -> Strings:
    """[rank, position, 3 states of cited, last of its list] -> the end of a chunk."""
    cited = ("", ',"cited":false', ',"cited":true')
    texts = [
        _rank(rank, rankless) + _position(position) + state + end
        for rank in range(ranks)
        for position in range(positions)
        for state in cited
        for end in ("},", "}")
    ]
    return np.array(texts, dtype=object)


def _rank(rank: int, rankless: bool) -> str:
    return "" if rankless else f',"rank":{rank}'


def _position(position: int) -> str:
    return f',"position":{position}' if position else ""
