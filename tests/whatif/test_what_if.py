"""What-if on stores: facts as a naive recount has them, expectations or refusals, sweeps, words."""

from __future__ import annotations

import json
import math
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from simulated import MONDAY, records, small_route, small_world, written
from validation.foreseen import designs, found

from analyzer import store
from analyzer.cli import main
from analyzer.cli.what_if_words import told
from analyzer.ingest import ingest
from analyzer.measures.rows import week_of
from analyzer.report.prices import Given
from analyzer.report.tables.what_if import what_if_rows
from analyzer.simulate.traits import Copies, Documents, Judging, Logging, Outcomes, Packer, Spread
from analyzer.stats.reading import Reading
from analyzer.stats.verdicts import Verdict
from analyzer.whatif import (
    Change,
    Counting,
    Swept,
    best_changes,
    flattens_at,
    speed,
    sweep,
    what_if,
)
from analyzer.whatif.candidates import UNKNOWN
from analyzer.whatif.curve import Curve
from analyzer.whatif.expected import enters_unseen, moves
from analyzer.whatif.illustrated import illustrated
from analyzer.whatif.replay import replay
from analyzer.whatif.sweep import steps, values
from analyzer.whatif.table import Route

from .blocks import Chunk, block
from .recounted import recounted

Captured = pytest.CaptureFixture[str]
NOW = datetime(2027, 1, 1, tzinfo=UTC)
SCOPE = week_of(MONDAY.date())
WEEK = f"{MONDAY:%G-W%V}"
CHANGES = [
    Change(ordering="best_first"),
    Change(ordering="long_context_reorder", top_k=4),
    Change(ordering="edges_first", dedupe=True),
    Change(ordering="best_last", budget=400, per_document=1),
    Change("edges_first", 5, 600, True, 2),
]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A week of a route with copies, a packer, labels, and answers that were not given."""
    folder = tmp_path_factory.mktemp("logs")
    route = small_route(
        requests=400.0,
        fetched=14,
        packer=Packer(per_document=3),
        copies=Copies(mirrors=0.2),
        documents=Documents(count=47, chunks=5, fresh=0.5, tokens=Spread(median=120.0)),
        judging=Judging(share=0.5, inline=1.0),
        explored=0.1,
        outcomes=Outcomes(refused=0.1, unknown_citations=0.0),
    )
    other = small_route("plain", requests=60.0, logging=Logging(missing=("tokens",)))
    written(small_world(route, other), folder)
    return folder


@pytest.fixture(scope="module")
def loaded(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same in a store."""
    file = tmp_path_factory.mktemp("store") / "store.duckdb"
    ingest([logs], file, now=NOW)
    return file


@pytest.fixture(scope="module")
def replayed(loaded: Path) -> pa.Table:
    """Every change of the list on both routes."""
    with store.reader(loaded) as con:
        return what_if(con, SCOPE, CHANGES, Counting(price=2.0, illustrative=True))


def of_support(found: pa.Table) -> list[dict[str, Any]]:
    return [row for row in found.to_pylist() if row["route"] == "support"]


class TestFacts:
    @pytest.mark.parametrize("number", range(len(CHANGES)))
    def test_they_are_those_of_a_naive_recount(
        self, logs: Path, replayed: pa.Table, number: int
    ) -> None:
        files = {path.name: path.read_bytes() for path in logs.glob("*.jsonl")}
        own = [record for record in records(files) if record["route"] == "support"]
        told = recounted(own, CHANGES[number])
        [row] = [
            row
            for row in replayed.to_pylist()
            if row["route"] == "support" and row["change"] == CHANGES[number].says
        ]
        n = told["replayed"]
        for name in ("packed_now", "packed_then", "tokens_now", "tokens_then"):
            assert row[name] * n == pytest.approx(told[name]), name
        for name in ("replayed", "cited", "cited_lost", "middle", "entering", "expected"):
            assert row[name] == told[name], name
        for name in ("expected_packed", "expected_lost"):
            assert row[name] == told[name], name
        assert 0 <= row["expected_lost_with_copy"] <= row["expected_lost"]
        assert (row["out_of_middle"], row["into_middle"]) == (
            told["out_of_middle"],
            told["into_middle"],
        )
        assert row["expected_recall_then"] * told["expected"] == pytest.approx(told["found"])

    def test_money_and_time_follow_tokens(self, replayed: pa.Table) -> None:
        row = replayed.to_pylist()[-1]
        saved = (row["tokens_now"] - row["tokens_then"]) * row["replayed"]
        assert row["route"] == "support"
        assert row["tokens_saved"] == pytest.approx(saved, abs=0.5)
        assert row["cost_saved"] == pytest.approx(saved * 2 / 1e6)
        assert row["cost_now"] == pytest.approx(row["tokens_now"] * 1000 * 2 / 1e6)
        assert row["prefill_ms_saved"] == pytest.approx(saved / row["replayed"] / 20)

    def test_without_tokens_there_is_neither_and_no_budget(self, replayed: pa.Table) -> None:
        rows = [row for row in replayed.to_pylist() if row["route"] == "plain"]
        assert [row["tokens_now"] for row in rows] == [None] * len(rows)
        assert [row["cost_saved"] for row in rows] == [None] * len(rows)
        assert [row["replayed"] > 0 for row in rows] == [True, True, True, False, False]
        assert rows[3]["uncounted"] == rows[0]["replayed"]

    def test_a_sample_is_always_the_same_and_whole(self, loaded: Path) -> None:
        counting = Counting(requests=50)
        with store.reader(loaded) as con:
            first, again = (what_if(con, SCOPE, CHANGES[:1], counting) for _ in range(2))
            [[packed, tokens]] = con.execute(
                "SELECT avg(packed), avg(context_tokens) FROM (FROM requests WHERE packed > 0 "
                "AND route = 'support' AND outcome = 'answered' ORDER BY record_hash LIMIT 50)"
            ).fetchall()
        assert first.equals(again)
        plain, support = first.to_pylist()
        assert (plain["replayed"], support["replayed"]) == (50, 50)
        assert support["packed_now"] == support["packed_then"] == packed
        assert support["tokens_now"] == support["tokens_then"] == pytest.approx(tokens)


class TestExpectations:
    def test_one_ordering_is_refused_and_the_facts_stand(self, replayed: pa.Table) -> None:
        rows = [row for row in replayed.to_pylist() if row["route"] == "plain"]
        assert {row["verdict"] for row in rows} == {"ONLY_K_VARIATION"}
        assert {row["citations_change"] for row in rows} == {None}
        assert all("Rank and position cannot be separated" in row["sentence"] for row in rows)
        assert rows[0]["out_of_middle"] > 0

    def test_what_enters_at_ranks_that_no_prompt_held_is_refused(self) -> None:
        prompt = [Chunk(1, position=1), Chunk(2, position=2), Chunk(3), Chunk(4)]
        logged = block(*[prompt] * 60)
        curve = Curve(Reading(np.zeros(6), np.zeros((20, 6)), np.zeros((0, 6))), (100.0, 900.0))

        def unseen(change: Change) -> bool:
            made = replay(logged, change)
            return enters_unseen(moves(logged, made, np.ones(60, np.bool_), curve))

        assert unseen(Change(top_k=3))
        assert not unseen(Change(top_k=1))

    @pytest.mark.parametrize("number", [1, 5])
    def test_a_change_is_foreseen_and_then_seen(self, number: int) -> None:
        """The short form of `make validate`, where 90 to 99 of 100 intervals hold the truth."""
        made = found(designs()[number], range(3))
        shown = [run for run in made if run.interval is not None]
        assert len(shown) >= 2
        assert sum(run.holds for run in shown) >= len(shown) - 1
        assert sum(run.agrees for run in shown) >= len(shown) - 1

    def test_the_illustrative_curve_by_hand(self) -> None:
        # Three chunks of 1,778.67 tokens on average: loss(8336) = .2474 in the middle, where the
        # only cited chunk stands; at an edge it would be read by .9 in place of .9 - .2474.
        prompt = [
            Chunk(1, 2779, position=2, cited=True),
            Chunk(2, 2779, position=1),
            Chunk(3, 2778, position=3),
        ]
        logged, change = block(prompt), Change(ordering="best_first")
        told = illustrated(logged, replay(logged, change), np.ones(1, np.bool_))
        loss = 0.4 * math.log2(8336 / 1500) / 4
        assert told.change == pytest.approx(0.9 / (0.9 - loss) - 1)


class TestSweep:
    def test_longer_prompts_never_lose_recall_and_cost_more(self, loaded: Path) -> None:
        with store.reader(loaded) as con:
            rows = [
                row
                for row in sweep(con, SCOPE, "top_k", Change()).to_pylist()
                if row["route"] == "support"
            ]
        assert [row["top_k"] for row in rows] == steps(14)
        for name in ("cited_recall", "expected_recall_then", "tokens_then"):
            values = [row[name] for row in rows]
            assert values == sorted(values)
        assert rows[-1]["cited_recall"] == 1.0
        flat = flattens_at(rows, "cited_recall")
        assert flat is not None
        told = {row["top_k"]: row["cited_recall"] for row in rows}
        assert flat["cited_recall"] >= 0.99 > told[flat["top_k"] - 1]

    @pytest.mark.parametrize("swept", ["budget", "per_document", "dedupe"])
    def test_a_looser_limit_packs_no_less_and_each_step_is_that_change(
        self, swept: Swept, loaded: Path
    ) -> None:
        with store.reader(loaded) as con:
            rows = of_support(sweep(con, SCOPE, swept, Change(ordering="edges_first")))
            steps = [Change(**{"ordering": "edges_first", swept: row[swept]}) for row in rows]
            alone = of_support(what_if(con, SCOPE, steps))
        assert rows == alone
        for name in ("packed_then", "tokens_then", "cited_recall"):
            values = [row[name] for row in rows]
            assert values == sorted(values)
        assert rows[0]["cited_recall"] < rows[-1]["cited_recall"] == 1.0

    def test_budgets_go_from_a_tenth_of_a_long_prompt_to_one_that_holds_all(
        self, loaded: Path
    ) -> None:
        with store.reader(loaded) as con:
            rows = sweep(con, SCOPE, "budget", Change()).to_pylist()
            [[long, most]] = con.execute(
                "SELECT quantile_cont(context_tokens, .95), max(context_tokens) FROM requests "
                "WHERE packed > 0 AND route = 'support' AND outcome = 'answered'"
            ).fetchall()
        budgets = [row["budget"] for row in rows if row["route"] == "support"]
        assert budgets[0] == max(100, round(0.1 * long, -2))
        assert most <= budgets[-1] < most + 100
        assert [row["budget"] for row in rows if row["route"] == "plain"] == [None]

    def test_caps_go_up_to_what_one_document_ever_had_and_then_none(self) -> None:
        def caps(*documents: int) -> list[int | None]:
            chunks = [Chunk(n, position=n, document=d) for n, d in enumerate(documents, 1)]
            route = Route({}, [block(chunks)], Verdict("TOO_FEW", ""), Counting())
            return list(values(route, "per_document"))

        assert caps(1, 2, 3) == [None]
        assert caps(1, 2, 1, 1) == [1, 2, None]
        assert caps(*[7] * 7, 8) == [1, 2, 3, 4, 5, 6, None]
        assert caps(UNKNOWN, UNKNOWN, UNKNOWN) == [None]  # of no named document

    def test_flat_is_where_all_but_a_hundredth_is(self) -> None:
        rows = [
            {"top_k": k, "recall": recall}
            for k, recall in ((1, 0.5), (2, 0.889), (3, 0.892), (4, 0.9), (5, 0.9))
        ]
        assert flattens_at(rows, "recall") == {"top_k": 3, "recall": 0.892}
        assert flattens_at([{"top_k": 1, "recall": None}], "recall") is None

    def test_steps_end_with_all_candidates(self) -> None:
        assert steps(1) == [1]
        assert steps(13) == [*range(1, 14)]
        assert steps(33)[-4:] == [20, 25, 30, 33]


class TestBest:
    def test_they_gain_citations_or_save_tokens_and_lose_hardly_any(self, loaded: Path) -> None:
        with store.reader(loaded) as con:
            rows = best_changes(con, MONDAY.date(), "support").to_pylist()
        assert 1 <= len(rows) <= 3
        for row in rows:
            kept = row["cited_lost"] - row["lost_with_copy"] <= 0.01 * row["cited"]
            if row["why"] == "fewer tokens":
                assert kept
                assert row["tokens_saved"] > 0
            else:
                assert row["low"] > 0

    def test_the_report_shows_them_and_says_what_they_rest_on(self, loaded: Path) -> None:
        with store.reader(loaded) as con:
            rows = what_if_rows(con, MONDAY.date(), Given(input=2.0)).to_pylist()
        assert {row["route"] for row in rows} >= {"support"}
        for row in rows:
            told = row["citations_change"] is not None
            assert row["told"].startswith("Changes of citations" if told else row["route"])
            assert row["speed"] == (speed(20_000) if row["prefill_ms_saved"] else None)
        assert any(row["speed"] for row in rows)

    def test_a_route_without_prompts_has_none(self, loaded: Path) -> None:
        with store.reader(loaded) as con:
            assert best_changes(con, MONDAY.date(), "nowhere").num_rows == 0


class TestTheCommand:
    @pytest.fixture(autouse=True)
    def here(self, loaded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("CITELOG_STORE", str(loaded))

    def test_it_says_facts_expectation_and_limits(self, capsys: Captured) -> None:
        assert main.run(["what-if", "--ordering", "edges_first", "--top-k", "5", "--dedupe"]) == 0
        said = capsys.readouterr().out
        assert "support: edges first, top-k 5, without near-copies\n" in said
        assert re.search(r"cited: \d+ of [\d,]+ cited chunks \([\d.]+%\) would not be packed", said)
        assert "plain: edges first, top-k 5, without near-copies\n" in said
        assert re.search(r"chunks a prompt; [\d,]+ next candidates would fill places", said)
        assert "no change is told (ONLY_K_VARIATION). Every rank always" in said
        assert said.splitlines()[-2].startswith("Not in it: candidates that were not logged")
        assert said.splitlines()[-1] == speed(20_000)

    def test_a_refusal_is_said_once(self, capsys: Captured) -> None:
        """Of several changes of a route, and of several routes."""
        with store.reader(Path(os.environ["CITELOG_STORE"])) as con:
            rows = what_if(con, SCOPE, CHANGES[:3]).to_pylist()
        plain = [row for row in rows if row["route"] == "plain"]
        said = "\n".join(told([*plain, {**plain[0], "route": "third"}], "in W46"))
        assert said.count("Rank and position cannot be separated") == 1
        again = "no change is told (ONLY_K_VARIATION), for the reason above"
        assert said.count(again) == 3

    def test_the_speed_that_time_is_told_at_is_that_of_the_settings(
        self, capsys: Captured, tmp_path: Path
    ) -> None:
        words = ["what-if", "--top-k", "2", "--route", "support"]
        assert main.run(words) == 0
        milliseconds = r"([\d,]+) ms less to read"
        [usual] = re.findall(milliseconds, capsys.readouterr().out)
        (tmp_path / "citelog.toml").write_text("[what_if]\nprefill_tokens_per_second = 500\n")
        assert main.run([*words, "--store", os.environ["CITELOG_STORE"]]) == 0
        said = capsys.readouterr().out
        [slow] = re.findall(milliseconds, said)
        assert float(slow.replace(",", "")) == pytest.approx(40 * float(usual), abs=20)
        assert "a model reads 500 prompt tokens a second" in said
        report = ["report", "--week", WEEK, "--store", os.environ["CITELOG_STORE"], "-o", "r.json"]
        assert main.run(report) == 0
        assert speed(500) in (tmp_path / "r.json").read_text()

    def test_without_a_change_the_best_ones_are_told(self, capsys: Captured) -> None:
        assert main.run(["what-if", "--route", "support", "--week", WEEK]) == 0
        assert 1 <= capsys.readouterr().out.count("support: ") <= 3

    def test_the_illustrative_curve_is_told_on_request_alone(self, capsys: Captured) -> None:
        words = ["what-if", "--ordering", "best_first", "--route", "plain"]
        assert main.run(words) == 0
        assert "illustrative" not in capsys.readouterr().out
        assert main.run([*words, "--illustrative"]) == 0
        assert "illustrative" not in capsys.readouterr().out  # no prompt of known length
        assert main.run([*words[:-1], "support", "--illustrative"]) == 0
        assert "by the illustrative curve, calculated, not measured: " in capsys.readouterr().out

    def test_a_sweep_is_told_drawn_and_written(self, capsys: Captured, tmp_path: Path) -> None:
        words = ["what-if", "--sweep", "top_k", "--route", "support"]
        assert main.run(words) == 0
        assert "recall of cited chunks turns flat at top-k " in capsys.readouterr().out
        for name in ("sweep.html", "sweep.json"):
            assert main.run([*words, "-o", name]) == 0
            assert re.fullmatch(
                rf"{name}: top-k tried from .* of route support, 13 changes on 1 route\n",
                capsys.readouterr().out,
            )
        page = (tmp_path / "sweep.html").read_text()
        assert page.count("<svg") == 1  # no price is set, so there is no chart over money
        assert "var(--" not in page
        rows = json.loads((tmp_path / "sweep.json").read_text())
        assert [row["top_k"] for row in rows] == steps(14)

    @pytest.mark.parametrize(
        ("swept", "said"),
        [
            ("budget", "recall of cited chunks turns flat at a budget of "),
            ("per_doc_cap", "recall of expected chunks turns flat with at most "),
            ("dedupe", "would not be packed, "),
        ],
    )
    def test_every_sweep_is_told_and_drawn(
        self, swept: str, said: str, capsys: Captured, tmp_path: Path
    ) -> None:
        words = ["what-if", "--sweep", swept, "--route", "support"]
        assert main.run(words) == 0
        assert said in capsys.readouterr().out
        assert main.run([*words, "-o", "sweep.html"]) == 0
        page = (tmp_path / "sweep.html").read_text()
        assert page.count("<svg") == 1
        assert f"{said[0].upper()}{said[1:]}" in page or said in page

    @pytest.mark.parametrize(
        ("swept", "said"),
        [("budget", "no budget can be tried: of no"), ("per_doc_cap", "no cap can be tried: no")],
    )
    def test_a_sweep_with_nothing_to_try_says_why(
        self, swept: str, said: str, capsys: Captured, tmp_path: Path
    ) -> None:
        chunks = [{"chunk_id": f"c{n}", "rank": n, "position": n, "cited": True} for n in (1, 2)]
        record = {"request_id": "a", "requested_at": MONDAY.isoformat(), "chunks": chunks}
        (tmp_path / "a.jsonl").write_text(json.dumps(record))
        ingest([tmp_path / "a.jsonl"], tmp_path / "bare.duckdb", now=NOW)
        words = ["what-if", "--sweep", swept, "--store", str(tmp_path / "bare.duckdb")]
        assert main.run(words) == 0
        told = capsys.readouterr().out
        assert said in told
        assert "turns flat" not in told

    def test_recall_that_grows_to_the_end_is_not_called_flat(
        self, capsys: Captured, tmp_path: Path
    ) -> None:
        chunks = [{"chunk_id": f"c{n}", "rank": n, "position": n, "cited": True} for n in (1, 2)]
        record = {"request_id": "a", "requested_at": MONDAY.isoformat(), "chunks": chunks}
        (tmp_path / "a.jsonl").write_text(json.dumps(record))
        ingest([tmp_path / "a.jsonl"], tmp_path / "bare.duckdb", now=NOW)
        words = ["what-if", "--sweep", "top_k", "--store", str(tmp_path / "bare.duckdb")]
        assert main.run(words) == 0
        told = capsys.readouterr().out
        assert "recall of cited chunks grows up to the last step, at top-k 2" in told

    def test_with_a_price_recall_is_drawn_over_money_too(
        self, tmp_path: Path, capsys: Captured
    ) -> None:
        (tmp_path / "citelog.toml").write_text("[prices]\ninput = 2.5\n")
        words = ["what-if", "--sweep", "top_k", "--route", "support", "--store"]
        assert main.run([*words, str(tmp_path / "none.duckdb")]) == 1
        store_path = os.environ["CITELOG_STORE"]
        assert main.run([*words, store_path, "-o", "sweep.html"]) == 0
        assert (tmp_path / "sweep.html").read_text().count("<svg") == 2
        capsys.readouterr()
        assert main.run([*words, store_path]) == 0
        assert "tokens a prompt  cost of 1,000  cited chunks" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("words", "code", "said"),
        [
            (["--ordering", "shuffled"], 2, "is none that follows the rank; those are best_first"),
            (["--top-k", "0"], 2, "--top-k is 0, but a prompt holds at least 1"),
            (["--budget", "9" * 20], 2, "but no prompt holds more than 1,000,000,000"),
            (["--top-k", "3", "--sweep", "top_k"], 2, "leave --top-k out"),
            (["--dedupe", "--sweep", "dedupe"], 2, "leave --dedupe out"),
            (["--per-doc-cap", "3", "--sweep", "per_doc_cap"], 2, "leave --per-doc-cap out"),
            (["--dedupe", "-o", "x.html"], 2, "only a sweep is drawn"),
            (
                ["--dedupe", "--week", "2025-W03"],
                5,
                "no answer is held whose packed chunks all have a rank",
            ),
            (["--week", "2025-W03"], 5, "no answer is held whose packed chunks all have a rank"),
        ],
    )
    def test_what_cannot_be_is_one_sentence(
        self, capsys: Captured, words: list[str], code: int, said: str
    ) -> None:
        assert main.run(["what-if", *words]) == code
        err = capsys.readouterr().err
        assert said in err
        assert len(err.splitlines()) == 1


def test_a_route_whose_citations_nobody_logged_is_packed_again(tmp_path: Path) -> None:
    chunks = [{"chunk_id": f"c{n}", "rank": n, "position": n, "tokens": 100} for n in (1, 2, 3, 4)]
    time = MONDAY.isoformat()
    lines = [json.dumps({"request_id": "a", "requested_at": time, "chunks": chunks})]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    ingest([tmp_path / "a.jsonl"], tmp_path / "store.duckdb", now=NOW)
    with store.reader(tmp_path / "store.duckdb") as con:
        [row] = what_if(con, SCOPE, [Change(top_k=2)], Counting()).to_pylist()
        steps = sweep(con, SCOPE, "top_k", Change(), Counting()).to_pylist()
    assert (row["packed_now"], row["packed_then"], row["tokens_then"]) == (4, 2, 200)
    assert [step["tokens_then"] for step in steps] == [100, 200, 300, 400]
    assert row["cited"] == 0
