"""How each watched measure is said, from `dashboards/measures.toml`."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Literal

from analyzer.assets import shipped

Unit = Literal["points", "ratio", "tokens", "ranks"]


@dataclass(frozen=True)
class Words:
    """One measure: its name, its sentence, its unit, and the command that shows more."""

    slug: str
    name: str
    says: str
    unit: Unit
    more: str


@cache
def words() -> dict[str, Words]:
    """Every watched measure's words, by the measure's name."""
    text = (shipped("dashboards") / "measures.toml").read_text(encoding="utf-8")
    return {name: Words(**fields) for name, fields in tomllib.loads(text).items()}


def value(unit: Unit, number: float) -> str:
    """A value as it stands in a sentence."""
    match unit:
        case "points":
            return rate(number)
        case "ratio":
            return _against(math.expm1(number))
        case "tokens":
            return f"{_rounded(math.exp(number)):,}"
        case "ranks":
            return f"{2**number:.1f}"


def size(unit: Unit, change: float) -> str:
    """How large a change is, without its sign."""
    if unit == "points":
        return f"{abs(100 * change):.1f} points"
    return f"{abs(100 * relative(unit, change)):.0f} %"


def relative(unit: Unit, change: float) -> float:
    """A change of a logarithm as a relative change: -0.2 is a fall by a fifth."""
    return math.expm1(change * math.log(2) if unit == "ranks" else change)


def bounds(unit: Unit, low: float, high: float) -> str:
    """The ends of an interval of a change, signed where it holds both signs."""
    ends = [100 * (end if unit == "points" else relative(unit, end)) for end in (low, high)]
    digits = 1 if unit == "points" else 0
    if ends[0] < 0 < ends[1]:
        shown = [f"{end:+.{digits}f}".replace("-", "−") for end in ends]
    else:
        shown = [f"{end:.{digits}f}" for end in sorted(map(abs, ends))]
    return f"{shown[0]} to {shown[1]}{'' if unit == 'points' else ' %'}"


def rate(share: float) -> str:
    """A share for people: 29.8 %, and never 0.0 % for what is not 0."""
    return "<0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def _against(change: float) -> str:
    if abs(change) < 0.005:
        return "as often as"
    return f"{abs(100 * change):.0f} % {'less' if change < 0 else 'more'} often"


def _rounded(tokens: float) -> int:
    """Three digits are enough for people."""
    digits = max(0, len(str(int(tokens))) - 3)
    return int(round(tokens, -digits))
