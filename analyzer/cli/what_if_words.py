"""What a what-if says to people: facts first, then what is expected, then what is not in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analyzer import numbers
from analyzer.cli.say import plain

LIMITS = (
    "Not in it: candidates that were not logged, chunks that the packer skipped for reasons of its "
    "own, and whatever a shorter prompt changes beyond how well its places are read. Of a chunk "
    "that would enter only its rank is known."
)
Row = Mapping[str, Any]


def told(rows: Sequence[Row], span: str) -> Iterator[str]:
    """The changes of each route, one below the other."""
    yield f"what if, replayed {span}, 95% intervals"
    refused: set[str] = set()
    for row in rows:
        yield ""
        yield f"{plain(row['route'])}: {row['change']}"
        yield from (f"  {line}" for line in _lines(row, refused))
    yield ""
    yield LIMITS
    yield from _speed(rows)


def proposed(rows: Sequence[Row], span: str, few: Mapping[str, int]) -> Iterator[str]:
    """The best changes; then what is proposed at all, and the routes of `few` answers."""
    from analyzer.whatif import LEAST

    yield from told(rows, span)
    yield (
        "Proposed is what loses at most one in a hundred of the expected chunks that are packed, "
        "and to save tokens of the cited ones too; one that leaves a near-copy is not lost."
    )
    yield from (
        f"{plain(route)}: {numbers.counted(known, 'answer')} of known citations can be packed "
        f"again; no change is proposed from fewer than {LEAST}"
        for route, known in few.items()
    )


def _lines(row: Row, refused: set[str]) -> Iterator[str]:
    left = f"; {row['unranked']:,} have no rank for every packed chunk" if row["unranked"] else ""
    yield f"{row['replayed']:,} of {row['answers']:,} answers replayed{left}"
    if row["uncounted"]:
        yield f"{row['uncounted']:,} left out: the tokens of a candidate are not known"
    yield from _size(row)
    yield lost(row)
    yield (
        f"middle: {row['out_of_middle']:,} of {numbers.counted(row['middle'], 'cited chunk')} "
        f"would leave it, "
        f"{row['into_middle']:,} would come in"
    )
    if row["expected"]:
        yield expected(row)
    yield from _expectation(row, refused)


def expected(row: Row) -> str:
    """How many expected chunks are packed, and would be."""
    are = "is" if row["expected"] == 1 else "are"
    gone, copied = row["expected_lost"], row["expected_lost_with_copy"]
    losing = f" ({gone:,} lost{_left_copies(copied)})" if gone else ""
    return (
        f"expected: {numbers.rate(row['expected_recall_now'])} of "
        f"{numbers.counted(row['expected'], 'expected chunk')} {are} packed; "
        f"{numbers.rate(row['expected_recall_then'])} would be{losing}"
    )


def lost(row: Row) -> str:
    """How many cited chunks would not be packed."""
    gone, cited, copied = row["cited_lost"], row["cited"], row["lost_with_copy"]
    if not cited:
        return "cited: no answer is known to cite a chunk"
    if not gone:
        everything = f"all {cited:,} cited chunks" if cited > 1 else "the only cited chunk"
        return f"cited: {everything} would be packed"
    return (
        f"cited: {gone:,} of {numbers.counted(cited, 'cited chunk')} ({numbers.rate(gone / cited)})"
        f" would not be packed{_left_copies(copied)}"
    )


def _left_copies(copied: int) -> str:
    leave = "leaves" if copied == 1 else "leave"
    return f", {copied:,} of which {leave} a near-copy" if copied else ""


def _size(row: Row) -> Iterator[str]:
    now, then = numbers.mean(row["packed_now"]), numbers.mean(row["packed_then"])
    if not row["cited_lost"] and not row["entering"] and row["packed_now"] == row["packed_then"]:
        yield f"packed: the same {now} chunks a prompt"
        return
    yield f"packed: {now} to {then} chunks a prompt{_refilled(row)}"
    if row["tokens_now"] is None:
        return
    saved = row["tokens_saved"]
    word, time = ("spared", "less") if saved >= 0 else ("spent", "more")
    money = "" if row["cost_saved"] is None else f" (costs {abs(row['cost_saved']):,.2f})"
    yield (
        f"tokens: {numbers.count(row['tokens_now'])} to {numbers.count(row['tokens_then'])} a "
        f"prompt, {abs(saved):,} {word} in all{money}, "
        f"{numbers.count(abs(row['prefill_ms_saved']))} ms {time} to read"
    )


def _refilled(row: Row) -> str:
    """What takes the places that a filter frees: why it spares less than it leaves out."""
    if not row["entering"] or not (row["dedupe"] or row["per_document"]):
        return ""
    return f"; {numbers.counted(row['entering'], 'next candidate')} would fill places that it frees"


def _expectation(row: Row, refused: set[str]) -> Iterator[str]:
    """`refused`: the reasons that were said already."""
    if row["citations_change"] is None:
        again = row["sentence"] in refused
        refused.add(row["sentence"])
        why = ", for the reason above" if again else f". {row['sentence']}"
        yield f"citations: no change is told ({row['verdict']}){why}"
    else:
        copies = "; that of a copy counts as lost" if row["lost_with_copy"] else ""
        yield (
            f"citations: {fine_change(row['citations_change'])} expected "
            f"({fine_change(row['low'])} to {fine_change(row['high'])}), as this route's own model "
            f"reads its prompts{copies}"
        )
    if row["illustrative_change"] is not None:
        yield (
            f"citations by the illustrative curve, calculated, not measured: "
            f"{fine_change(row['illustrative_change'])}"
        )


def _speed(rows: Sequence[Row]) -> Iterator[str]:
    """What milliseconds are told by, where some are."""
    from analyzer.whatif import speed

    if any(row["tokens_saved"] for row in rows):
        yield speed(rows[0]["tokens_per_second"])


def fine_change(value: float) -> str:
    """A relative change with one decimal: −0.0123 as −1.2%."""
    return numbers.signed_minus(f"{100 * value:+.1f}%")
