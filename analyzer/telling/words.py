"""How each watched measure is said, from `dashboards/measures.toml`."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Literal

from analyzer import numbers
from analyzer.assets import shipped
from analyzer.watch.estimated import against

Unit = Literal["points", "ratio", "tokens", "ranks"]


@dataclass(frozen=True)
class Words:
    """One measure: its name, its sentence, its unit, and the command that shows more."""

    slug: str
    name: str
    says: str
    unit: Unit
    shift: str  # a change that would have been seen, with its {size}
    more: str
    brief: str = ""  # the name where only a change is told, if `name` would be misread


@cache
def words() -> dict[str, Words]:
    """Every watched measure's words, by the measure's name."""
    text = (shipped("dashboards") / "measures.toml").read_text(encoding="utf-8")
    return {name: Words(**fields) for name, fields in tomllib.loads(text).items()}


def value(unit: Unit, number: float) -> str:
    """A value as it stands in a sentence."""
    match unit:
        case "points":
            return numbers.rate(number)
        case "ratio":
            return _against(math.expm1(number))
        case "tokens":
            return numbers.rounded(math.exp(number))
        case "ranks":
            return numbers.mean(2**number)


def level(unit: Unit, number: float) -> str:
    """A value beside others of its measure, after the measure's name: 29.8%; 14% lower."""
    if unit != "ratio":
        return value(unit, number)
    return against(number)


def size(unit: Unit, change: float) -> str:
    """How large a change is, without its sign."""
    if unit == "points":
        return f"{abs(100 * change):.1f} points"
    return numbers.percent(relative(unit, change))


def relative(unit: Unit, change: float) -> float:
    """A change of a logarithm as a relative change: -0.2 is a fall by a fifth."""
    return math.expm1(change * math.log(2) if unit == "ranks" else change)


def bounds(unit: Unit, low: float, high: float) -> str:
    """The ends of the interval of a change, the lower one first, each with its sign."""
    if unit == "points":
        return " to ".join(numbers.points(end).removesuffix(" points") for end in (low, high))
    return numbers.bounds(relative(unit, low), relative(unit, high), numbers.change)


def _against(change: float) -> str:
    if abs(change) < 0.005:
        return "as often as"
    return f"{numbers.percent(change)} {'less' if change < 0 else 'more'} often"
