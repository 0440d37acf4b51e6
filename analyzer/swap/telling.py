"""A score, a gate and what is not covered, as lines that people read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING

from analyzer.names import shown
from analyzer.numbers import bounds, count, counted, day, points, rate
from analyzer.stats.swap_gate import Change, Gate
from analyzer.swap.gating import changes
from analyzer.swap.outcomes import Place, Run, tokens_range
from analyzer.swap.scoring import AtPlace, Score, by_bucket, score

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SLOTS = 50
LEAST = 50  # questions of one prompt length that are told apart
_LAID = {"start": "at the start", "middle": "in the middle", "end": "at the end"}


def lines(run: Run) -> Iterator[str]:
    """The score of a run."""
    found = score(run.outcomes)
    yield f"{shown(run.model)}, {_asked(found)}, {_judged(run.judge)}{_tokens(run)}"
    if found.answered < found.asked:
        yield f"  {counted(found.asked - found.answered, 'prompt')} without a judged answer"
    yield from _slots(found)
    yield from (_place(at) for at in found.places)
    yield from _gap(found)
    yield from _by_length(run)


def gate_lines(decided: Gate, old: Run, new: Run, margin: float) -> Iterator[str]:
    """What a gate decided, and why."""
    named = _named(old, new)
    yield f"{decided.decision}: {named[1]} against {named[0]}"
    for name, run in zip(named, (old, new), strict=True):
        yield f"  {name}: gap {_with_interval(score(run.outcomes))}"
    if decided.deeper is None or decided.low is None or decided.high is None:
        yield f"  too few questions in both: {decided.questions}"
        return
    yield (
        f"  the gap is larger by {points(decided.deeper)}, one-sided 95% bounds "
        f"{_between(decided.low, decided.high)}, of {counted(decided.questions, 'question')}"
    )
    yield f"  {_reason(decided, margin)}"
    moved = changes(old, new, margin)
    yield "  right answers by the place of the chunk, 95% intervals for the three together"
    for place, change in moved.items():
        yield f"  {place:<6}  {_accuracy(change)}"
    if (said := _warning(named[1], moved)) is not None:
        yield f"  {said}"


def _named(old: Run, new: Run) -> list[str]:
    if old.model != new.model:
        return [shown(run.model) for run in (old, new)]
    # another prompt, or the same asked again
    return [f"{shown(run.model)}, prompt {shown(run.prompt_version)}" for run in (old, new)]


def _accuracy(change: Change) -> str:
    """Both shares of right answers, and the difference with its interval."""
    return (
        f"{rate(change.old):>6} to {rate(change.new):>6}, {points(change.new - change.old)}, "
        f"interval {_between(change.low, change.high)}"
    )


def fallen(old: Run, new: Run, margin: float) -> str | None:
    """A warning of the places where the new model answers clearly worse; None where it does not."""
    return _warning(_named(old, new)[1], changes(old, new, margin))


def _warning(named: str, moved: Mapping[Place, Change]) -> str | None:
    places = [_LAID[place] for place, change in moved.items() if change.fell]
    if not places:
        return None
    return (
        f"warning: {named} answers clearly worse with the chunk "
        f"{' and '.join(places)}; the gate decides on the gap alone, which a worse start or end "
        "makes smaller"
    )


def under_way(run: Run) -> str | None:
    """What is not scored, since a killed run left it open; None where nothing is."""
    if not run.not_known:
        return None
    are, were = ("is", "was") if run.not_known == 1 else ("are", "were")
    beside = f", nor {run.unpaired:,} of the same questions" if run.unpaired else ""
    return (
        f"{counted(run.not_known, 'prompt')} {are} under way, or {were} when the run was killed, "
        f"and whether answers came is not known; not scored{beside}; after a kill swap run "
        "--ask-again asks once more"
    )


def coverage_lines(table: pa.Table, week: date) -> Iterator[str]:
    """What traffic no evaluation covers; one line where all is covered."""
    rows = table.to_pylist()
    missing = [row for row in rows if not row["covered"]]
    yield f"week of {day(week)}: {len(rows) - len(missing)} of {len(rows)} evaluated as they answer"
    for row in missing:
        version = "" if row["prompt_version"] == "unknown" else f", prompt {row['prompt_version']}"
        named = f"{shown(row['route'])}: {shown(row['model'])}{version}"
        yield f"  {named}, {row['requests']:,} requests, since {day(row['since'])}: {row['why']}"


def _asked(found: Score) -> str:
    questions = found.questions + found.incomplete
    return f"{counted(questions, 'question')}, {counted(found.asked, 'prompt')}"


def _judged(judge: str) -> str:
    return "judgements as given" if judge == "given" else f"judged by {judge}"


def _tokens(run: Run) -> str:
    found = tokens_range(run.outcomes)
    if found is None:
        return ""
    low, _, high = found
    return f", {low:,} context tokens" if low == high else f", {low:,} to {high:,} context tokens"


def _slots(found: Score) -> Iterator[str]:
    """Each position, where all prompts have one K and more than the three places were asked."""
    if len({slot.k for slot in found.slots}) > 1 or not 3 < len(found.slots) <= MOST_SLOTS:
        return
    for slot in found.slots:
        share = rate(slot.correct / slot.answered if slot.answered else None)
        yield (
            f"  position {slot.position:>2} of {slot.k}  {share:>6}  "
            f"({slot.correct:,} of {slot.answered:,})"
        )


def _place(at: AtPlace) -> str:
    return (
        f"  {at.place:<6}  {rate(at.rate):>6}  ({at.correct:,} of {at.answered:,}), "
        f"95% interval {bounds(at.low, at.high, rate)}"
    )


def _gap(found: Score) -> Iterator[str]:
    if found.gap is None:
        yield "  no gap: it needs answers at the start, in the middle and at the end"
        return
    left_out = f"; {found.incomplete:,} were not" if found.incomplete else ""
    yield (
        f"  gap {_with_interval(found)}, of {counted(found.questions, 'question')} "
        f"answered everywhere{left_out}"
    )
    if found.mcnemar:
        yield (
            f"  McNemar, start against middle: {found.mcnemar.only_start:,} right at the start "
            f"only, {found.mcnemar.only_middle:,} in the middle only, {_p(found.mcnemar.p)}"
        )
    if found.seen and found.needed_80 and found.needed_90:
        yield (
            f"  so many questions show a gap of {100 * found.seen:.1f} points in 8 of 10 cases; "
            f"5 points need {count(found.needed_80)} ({count(found.needed_90)} in 9 of 10)"
        )


def _with_interval(found: Score) -> str:
    return f"{points(found.gap)}, 95% interval {_between(found.low, found.high)}"


def _between(low: float | None, high: float | None) -> str:
    return f"{points(low).removesuffix(' points')} to {points(high)}"


def _by_length(run: Run) -> Iterator[str]:
    by_length = by_bucket(run.outcomes)
    for bucket, mine in by_length.items():
        found = score(mine)
        if len(by_length) > 1 and bucket is not None and found.questions >= LEAST:
            yield (
                f"  from {bucket:,} context tokens: gap {_with_interval(found)}, "
                f"of {counted(found.questions, 'question')}"
            )


def _reason(decided: Gate, margin: float) -> str:
    wanted = f"{100 * margin:.1f} points"
    if decided.decision == "fail":
        return (
            "the lower bound is above 0: the middle of the new model lies further below its edges"
        )
    if decided.decision == "pass":
        return f"the upper bound is below {wanted}"
    needed = "" if decided.needed is None else f"; {decided.needed:,} questions would pass it"
    return f"between 0 and {wanted} both are possible{needed} in 8 of 10 cases if nothing changed"


def _p(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"
