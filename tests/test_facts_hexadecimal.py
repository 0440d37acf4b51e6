"""Fingerprints as words: the whole column at once says the same as value by value."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.facts import hexadecimal

DIGITS = st.text("0123456789abcdefABCDEF", min_size=16, max_size=16)
LONGER = st.text("0123456789abcdef", min_size=16, max_size=20)


def naive(values: list[str | None]) -> list[int]:
    found = [int(value[:16], 16) if value else 0 for value in values]
    return [each - 2**64 if each >= 2**63 else each for each in found]


@given(st.lists(st.none() | DIGITS) | st.lists(st.none() | LONGER))
def test_words_are_what_each_value_says(values: list[str | None]) -> None:
    found, known = hexadecimal.words(pa.array(values, pa.string()), 16)
    assert found.tolist() == naive(values)
    assert known.tolist() == [value is not None for value in values]


def test_a_signature_is_two_words_most_significant_first() -> None:
    found, _ = hexadecimal.words(pa.array([None, "00000000000000ff8000000000000000"]), 32)
    assert found.tolist() == [0, 0, 255, -(2**63)]


def test_a_slice_of_a_column_is_read_where_it_stands() -> None:
    column = pa.array(["f" * 16, "0" * 15 + "1", None, "0" * 15 + "2"]).slice(1, 2)
    found, known = hexadecimal.words(column, 16)
    assert (found.tolist(), known.tolist()) == ([1, 0], [True, False])


def test_words_may_be_written_over() -> None:
    """Texts are signed into the same arrays."""
    found, known = hexadecimal.words(pa.array(["0" * 16]), 16)
    found[0], known[0] = 5, np.False_


@pytest.mark.parametrize(
    "odd",
    ["0" * 15, "0" * 17, "0 " * 8, "é" * 8, "g" * 16, ""],
    ids=["short", "long", "with white space", "two bytes a letter", "no digit", "empty"],
)
def test_what_is_not_just_digits_is_not_taken_at_once(odd: str) -> None:
    assert hexadecimal.evenly(pa.array(["0" * 16, odd, None]), 16) is None


def test_two_odd_widths_that_sum_to_an_even_one_are_not_taken_at_once() -> None:
    assert hexadecimal.evenly(pa.array(["0" * 15, "0" * 17]), 16) is None
