"""What counts as a citation in an answer's text, and where its markers point."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.markers import Citations, cited_positions, detect_base, read, sentences


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("Leave is 30 days [2].", [2]),
        ("Leave is 30 days[2].", [2]),
        ("Both say so [1, 3].", [1, 3]),
        ("Both say so [1,3] and [1; 3].", [1, 3, 1, 3]),
        ("All of them [2-4].", [2, 3, 4]),
        ("All of them [2\u20134] [5 \u2014 6] [7\u20118].", [2, 3, 4, 5, 6, 7, 8]),
        ("Mixed [1, 3-5; 8].", [1, 3, 4, 5, 8]),
        ("Neighbours [2][5], apart [2] [5].", [2, 5, 2, 5]),
        ("Said twice [7]. Again [7].", [7, 7]),
        ("Chinese commas [1\uff0c3][4\u30015].", [1, 3, 4, 5]),
        ("Roomy [ 1 ] and [ 1 , 2 ].", [1, 1, 2]),
        ("In brackets ([4]), doubled [[5]].", [4, 5]),
        ("A range of one [3-3].", [3]),
        ("Zero counts too [0].", [0]),
        ("\u0646\u0639\u0645 [\u0663].", [3]),  # Arabic digits
    ],
)
def test_markers_groups_ranges_and_neighbours_are_read(answer: str, numbers: list[int]) -> None:
    assert read(answer) == numbers


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "No bracket at all, though context 1 says so.",
        "Done. [Word count: 149]",
        "[300 words]",
        "See [Source 1], [doc2], [^3] and [1, Smith].",
        "Version [1.5], ratio [1:2], offset [+1], [-1], nothing [], [,], [1,], [,1]",
        "In the years [2021-2023] and in [2021].",
        "They won [3-1].",
        "A dose of [100-500] mg.",
        "The answer was cut off here [7",
        "Split over [1 2].",
    ],
)
def test_what_only_looks_like_a_marker_is_no_citation(answer: str) -> None:
    assert read(answer) == []


def test_linked_markers_cite() -> None:
    assert read("So it is [1](https://a.example/x) and ([[2]](https://b.example)).") == [1, 2]


def test_link_definitions_do_not_cite() -> None:
    assert read("Yes [2].\n\n[1]: https://a.example\n  [2]: <https://b.example>\n") == [2]


def test_a_colon_after_a_marker_does_not_hide_it() -> None:
    assert read("The answer is in context [1]: a murder of crows.") == [1]
    assert read("[2]: the answer is here.") == [2]


def test_a_list_of_sources_cites_like_any_other_text() -> None:
    assert read("Yes.\nSources:\n[1] Handbook\n[3] Policy") == [1, 3]


@pytest.mark.parametrize(
    "code",
    [
        "`a[0]`",
        "``a[0] ` b[1]``",
        "```python\nfirst = a[0]\n[1, 2]\n```",
        "~~~\na[0]\n~~~",
        "  ```\n  a[0]\n  ```",
    ],
)
def test_brackets_in_code_do_not_cite(code: str) -> None:
    assert read(f"Take [2].\n{code}\nThen [3].") == [2, 3]


def test_a_fence_that_the_answer_leaves_open_is_code_to_the_end() -> None:
    assert read("Take [2].\n```python\nx = a[0]\ny = a[1]") == [2]


@pytest.mark.parametrize("span", ["`[1]`", "`[1][2]`", "`[1] [2, 3]`", "```[1]```"])
def test_a_code_span_of_markers_alone_cites(span: str) -> None:
    assert read(f"It is so {span}.") == read(span.strip("`"))


def test_a_lone_backtick_hides_nothing() -> None:
    assert read("The ` key [1] is left of 1 [2].") == [1, 2]


def test_answers_made_of_brackets_or_backticks_are_read_all_the_same() -> None:
    # Patterns that backtrack would not come back from these.
    size = 100_000
    assert read("[" * size) == []
    assert read("[1" + " " * size) == []
    assert read("[" + "1," * size) == []
    assert read("a " + "`" * size + "[1]") == [1]
    assert read(" ".join("`" * ticks for ticks in range(1, 400)) + "[1]") == [1]
    assert read("`[1] " * size) == [1] * size
    assert read("```\n" * size + "[1]") == [1]


numbers = st.integers(0, 999)
ranges = st.tuples(st.integers(0, 900), st.integers(0, 99)).map(lambda pair: (pair[0], sum(pair)))
brackets = st.lists(numbers | ranges, min_size=1, max_size=5)
prose = st.text(st.characters(codec="utf-8", exclude_characters="[]`~"), max_size=20)


def written(parts: list[int | tuple[int, int]]) -> str:
    return (
        f"[{', '.join('-'.join(map(str, p)) if isinstance(p, tuple) else str(p) for p in parts)}]"
    )


def spelt_out(parts: list[int | tuple[int, int]]) -> list[int]:
    return [
        number
        for part in parts
        for number in ([part] if isinstance(part, int) else range(part[0], part[1] + 1))
    ]


@given(st.lists(st.tuples(prose, brackets)))
def test_every_bracket_is_read_in_order_whatever_stands_between(pieces: list) -> None:
    answer = "".join(text + written(parts) + " " for text, parts in pieces)
    assert read(answer) == [number for _, parts in pieces for number in spelt_out(parts)]


@given(prose)
def test_prose_without_brackets_cites_nothing(text: str) -> None:
    assert read(text) == []


def test_positions_are_distinct_and_strays_are_counted_with_repeats() -> None:
    assert cited_positions([2, 5, 2, 9, 0, 9], k=5, base=1) == Citations([2, 5], stray=3)


def test_a_prompt_that_counts_from_zero_shifts_every_marker() -> None:
    assert cited_positions([0, 4, 5], k=5, base=0) == Citations([1, 5], stray=1)


def test_with_nothing_packed_every_marker_is_stray() -> None:
    assert cited_positions([0, 1], k=0, base=1) == Citations([], stray=2)


@pytest.mark.parametrize(
    ("answers", "base"),
    [
        ([], 1),
        ([([1, 3], 5)], 1),
        ([([0, 3], 5)], 0),
        ([([3], 5), ([0], 5), ([4], 5)], 0),
        ([([0], 5), ([5], 5)], 1),  # a tie is read as the usual base
        ([([0], 5), ([5, 5], 5)], 1),  # one array among answers that cite the last chunk
        ([([0, 0], 5), ([5], 5)], 0),
        ([([0], 0)], 1),  # nothing packed says nothing
    ],
)
def test_the_base_is_the_one_that_leaves_fewer_strays(
    answers: list[tuple[list[int], int]], base: int
) -> None:
    assert detect_base(answers) == base


@given(st.lists(st.tuples(st.lists(st.integers(0, 8), max_size=6), st.integers(0, 6)), max_size=6))
def test_the_detected_base_never_leaves_more_strays(answers: list) -> None:
    def strays(base: int) -> int:
        return sum(cited_positions(found, k, base).stray for found, k in answers)

    base = detect_base(answers)
    assert strays(base) <= strays(1 - base)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("Cats sleep [1]. Dogs bark [2, 3].", [("Cats sleep", [1]), ("Dogs bark", [2, 3])]),
        ("It rains. Cats sleep. [4]", [("Cats sleep", [4])]),
        ("Cats sleep [1][2] and dogs bark [3]", [("Cats sleep", [1, 2]), ("and dogs bark", [3])]),
        ("Sources:\n[1] Cats\n- [2] Dogs", []),
        ("`list[1]` sleeps [2]", [("sleeps", [2])]),
        ("猫は眠る。犬は吠える[1]", [("犬は吠える", [1])]),
        ("no marker", []),
    ],
)
def test_what_stands_before_a_marker(answer: str, told: list[tuple[str, list[int]]]) -> None:
    assert [(said.strip(), cited) for said, cited in sentences(answer)] == told
