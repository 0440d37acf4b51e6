"""How numbers are written for people: in verdicts, sentences, charts and tables alike.

Rates carry one decimal and their unit, differences are signed with a real minus, counts have
commas, and what is not known is a dash, never 0. Exact values stay in the JSON.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date

UNKNOWN = "–"
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def rate(value: float | None) -> str:
    """0.3456 as 34.6%; a rate that is small but not zero never reads 0.0%."""
    if value is None:
        return UNKNOWN
    if 0 < value < 0.0005:
        return "<0.1%"
    return f"{100 * value:.1f}%"


def percent(value: float) -> str:
    """A relative change or a large share: whole per cent, one decimal below 2, without its sign."""
    size = abs(value)
    return f"{100 * size:.1f}%" if 0 < size < 0.02 else f"{100 * size:.0f}%"


def count(value: float | None) -> str:
    """Whole, with commas."""
    return UNKNOWN if value is None else signed_minus(f"{value:,.0f}")


def change(value: float | None) -> str:
    """A relative change, -0.23 as −23%; always signed, but for 0."""
    if value is None:
        return UNKNOWN
    shown = f"{100 * value:+.0f}"
    return f"{signed_minus(shown) if float(shown) else '0'}%"


def counted(number: int, noun: str) -> str:
    """A number and its noun, `1 unit`, `2 units`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def mean(value: float | None) -> str:
    """One decimal, for means of counts."""
    return UNKNOWN if value is None else signed_minus(f"{value:,.1f}")


def fine(value: float | None) -> str:
    """Two decimals, for means in tables and on a log scale."""
    return UNKNOWN if value is None else signed_minus(f"{value:,.2f}")


def points(value: float | None) -> str:
    """A difference of two rates, 0.012 as +1.2 points."""
    if value is None:
        return UNKNOWN
    shown = f"{100 * value:+.1f}"
    return f"{signed_minus(shown) if float(shown) else '0.0'} points"


def rounded(value: float) -> str:
    """A large count for people: three digits are enough."""
    digits = max(0, len(str(int(value))) - 3)
    return f"{int(round(value, -digits)):,}"


def rounded_up(part: int, whole: int) -> float:
    """A share as a limit that lets it in: rounded up to hundredths."""
    return math.ceil(100 * part / max(whole, 1)) / 100


def signed_minus(text: str) -> str:
    """The hyphen of Python's formatting as the minus of typography (U+2212)."""
    return text.replace("-", "−")


def bounds(low: float | None, high: float | None, write: Callable[[float | None], str]) -> str:
    """The ends of an interval, `34.1 to 35.1%`; a dash where there is none."""
    if low is None or high is None:
        return UNKNOWN
    first, last = write(low), write(high)
    return f"{first.removesuffix('%').removesuffix(' points')} to {last}"


def day(value: date | None) -> str:
    return UNKNOWN if value is None else f"{value.day} {_MONTHS[value.month - 1]}"


def days(first: date, last: date) -> str:
    """A stretch of days, `16 to 22 November`; the month is said once."""
    same = (first.year, first.month) == (last.year, last.month)
    return f"{first.day if same else day(first)} to {day(last)}"


def week(monday: date) -> str:
    """The short name of a week, `W47`."""
    return f"W{monday.isocalendar().week:02}"


def iso_week(monday: date) -> str:
    """The full name of a week, `2026-W47`."""
    year, number, _ = monday.isocalendar()
    return f"{year}-W{number:02}"
