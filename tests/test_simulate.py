"""Synthetic traffic is the same every time, legal, and true to what its scenario says."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from simulated import (
    ANSWERED,
    MONDAY,
    column,
    made,
    plain_route,
    prompt,
    records,
    small_route,
    small_world,
    written,
)

from analyzer.record import Judgement, Rejected, Request, fingerprint, parse
from analyzer.simulate import Model, Scenario, simulate, standard
from analyzer.simulate.cite import bump, loss
from analyzer.simulate.orderings import ranks_in_order
from analyzer.simulate.scenario import Noise, Release
from analyzer.simulate.traits import Copies, Judging, Logging, Packer, Relevance, TopK, Units
from analyzer.simulate.truth import Truth


def truth_of(scenario: Scenario) -> dict[str, Any]:
    truth = Truth(scenario)
    for period in made(scenario):
        truth.add(period)
    shown: dict[str, Any] = json.loads(truth.as_json())
    return shown


def test_the_same_scenario_gives_the_same_bytes(tmp_path: Path) -> None:
    world = small_world(small_route(judging=Judging(share=0.2)))
    layout = {"dirty": 0.02, "repeated": 0.02, "revised": 0.02, "compression": "gz"}
    simulate_twice = [written(world, tmp_path / name, **layout) for name in ("a", "b")]
    packed = [
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in "ab"
    ]
    assert simulate_twice[0] == simulate_twice[1]
    assert packed[0] == packed[1]


def test_another_seed_gives_other_requests(tmp_path: Path) -> None:
    first = written(small_world(), tmp_path / "a")
    second = written(small_world(seed=2), tmp_path / "b")
    assert first.keys() == second.keys()
    assert all(first[name] != second[name] for name in first)


def test_a_route_or_a_week_more_changes_nothing_that_was_there(tmp_path: Path) -> None:
    alone = written(small_world(), tmp_path / "a", by_route=True)
    more = small_world(small_route("docs"), small_route(), weeks=2)
    together = written(more, tmp_path / "b", by_route=True)
    assert len(alone) == 7
    assert alone.items() <= together.items()


def test_every_line_of_the_standard_scenario_is_a_record(tmp_path: Path) -> None:
    world = standard(MONDAY, 1, requests=200)
    files = written(world, tmp_path)
    seen = Counter(type(parse(line)) for content in files.values() for line in content.splitlines())
    truth = json.loads((tmp_path / "truth.json").read_text())
    assert seen[Request] == sum(week["requests"] for week in truth["weeks"])
    assert seen[Judgement] == truth["total"]["judgement"] > 0
    assert set(seen) == {Request, Judgement}


def test_broken_repeated_and_revised_lines_are_counted_exactly(tmp_path: Path) -> None:
    files = written(
        small_world(small_route(requests=2000.0)), tmp_path, dirty=0.1, repeated=0.1, revised=0.1
    )
    total = json.loads((tmp_path / "truth.json").read_text())["total"]
    seen, read = Counter[str](), set[bytes]()
    newest: dict[str, int] = {}
    for line in (line for content in files.values() for line in content.splitlines()):
        try:
            record = parse(line)
        except Rejected:
            seen["rejected"] += 1
            continue
        assert isinstance(record, Request)
        if line in read:
            seen["duplicate"] += 1
        read.add(line)
        seen["superseded"] += bool(record.revision)
        newest[record.request_id] = max(newest.get(record.request_id, 0), record.revision or 0)
    assert seen["rejected"] == total["rejected"] > 100
    assert seen["duplicate"] == total["duplicate"] > 100
    assert seen["superseded"] == total["superseded"] > 100
    assert len(newest) == total["loaded"]
    assert total["read"] == sum(
        total[kind] for kind in ("loaded", "rejected", "duplicate", "superseded")
    )
    faults = {name: count for name, count in total.items() if name.startswith("rejected.")}
    assert len(faults) == 11
    assert sum(faults.values()) == total["rejected"]


def test_positions_are_one_to_k_and_ranks_have_no_gap(tmp_path: Path) -> None:
    world = small_world(small_route(fetched=15, packer=Packer(per_document=2)))
    for record in records(written(world, tmp_path)):
        ranks = [chunk["rank"] for chunk in record["chunks"]]
        positions = [chunk["position"] for chunk in prompt(record)]
        assert ranks == list(range(1, len(ranks) + 1))
        assert positions == list(range(1, len(positions) + 1))
        assert len({chunk["chunk_id"] for chunk in record["chunks"]}) == len(ranks)


def test_a_packer_leaves_rank_gaps_and_keeps_its_promises(tmp_path: Path) -> None:
    packer = Packer(drops_copies=True, per_document=2, budget_tokens=700)
    route = small_route(fetched=20, packer=packer, copies=Copies(mirrors=0.3))
    gaps = 0
    for record in records(written(small_world(route), tmp_path)):
        packed = prompt(record)
        ranks = sorted(chunk["rank"] for chunk in packed)
        gaps += ranks != list(range(1, len(ranks) + 1))
        documents = Counter(chunk["doc_id"].removesuffix("-mirror") for chunk in packed)
        assert max(documents.values(), default=0) <= 2
        assert sum(chunk["tokens"] for chunk in packed) <= record["budget_tokens"] == 700
    assert gaps > 100


def test_without_a_packer_the_first_ranks_are_packed(tmp_path: Path) -> None:
    for record in records(written(small_world(small_route(fetched=15)), tmp_path)):
        packed = prompt(record)
        assert sorted(chunk["rank"] for chunk in packed) == list(range(1, len(packed) + 1))
        assert len(record["chunks"]) == max(15, len(packed))


@pytest.mark.parametrize(
    ("ordering", "ranks"),
    [
        ("best_first", {5: [1, 2, 3, 4, 5]}),
        ("best_last", {5: [5, 4, 3, 2, 1]}),
        ("edges_first", {6: [1, 3, 5, 6, 4, 2], 5: [1, 3, 5, 4, 2], 4: [1, 3, 4, 2], 1: [1]}),
        ("edges_first_reversed", {6: [2, 4, 6, 5, 3, 1], 5: [2, 4, 5, 3, 1]}),
        ("long_context_reorder", {6: [2, 4, 6, 5, 3, 1], 5: [1, 3, 5, 4, 2]}),
    ],
)
def test_orderings_by_rank_are_the_known_ones(ordering: str, ranks: dict[int, list[int]]) -> None:
    assert {k: ranks_in_order(ordering, k) for k in ranks} == ranks


def in_prompt_order(tmp_path: Path, ordering: str) -> list[list[dict[str, Any]]]:
    route = small_route(
        orderings={ordering: 1.0}, requests=150.0, fetched=15, packer=Packer(per_document=3)
    )
    return [prompt(record) for record in records(written(small_world(route), tmp_path))]


def test_edges_first_follows_the_packed_rank(tmp_path: Path) -> None:
    for packed in in_prompt_order(tmp_path, "edges_first"):
        ranks = sorted(chunk["rank"] for chunk in packed)
        odd_and_even = ranks[::2] + ranks[1::2][::-1]
        assert [chunk["rank"] for chunk in packed] == odd_and_even


def test_source_order_goes_by_document_and_place_in_it(tmp_path: Path) -> None:
    for packed in in_prompt_order(tmp_path, "source_order"):
        places = [(c["doc_id"].removesuffix("-mirror"), c["ordinal"]) for c in packed]
        assert places == sorted(places)


def test_by_document_keeps_documents_together_best_first(tmp_path: Path) -> None:
    for packed in in_prompt_order(tmp_path, "by_document"):
        best: dict[str, int] = {}
        for chunk in packed:
            name = chunk["doc_id"].removesuffix("-mirror")
            best[name] = min(best.get(name, 99), chunk["rank"])
        key = [(best[c["doc_id"].removesuffix("-mirror")], c["ordinal"]) for c in packed]
        assert key == sorted(key)


def test_score_order_goes_by_the_first_stage(tmp_path: Path) -> None:
    disagreeing = 0
    for packed in in_prompt_order(tmp_path, "score_order"):
        scores = [chunk["score"] for chunk in packed]
        assert scores == sorted(scores, reverse=True)
        disagreeing += [c["rank"] for c in packed] != sorted(c["rank"] for c in packed)
    assert disagreeing > 100


def test_ranks_follow_the_last_score(tmp_path: Path) -> None:
    files = written(small_world(small_route(), small_route("flat", reranker=False)), tmp_path)
    for record in records(files):
        last = "rerank_score" if record["route"] == "support" else "score"
        scores = [chunk[last] for chunk in record["chunks"]]
        assert scores == sorted(scores, reverse=True)
        assert all(("rerank_score" in c) == (last == "rerank_score") for c in record["chunks"])


def test_explored_prompts_are_the_share_asked_for_and_shuffled(tmp_path: Path) -> None:
    world = small_world(small_route(requests=4000.0, explored=0.05))
    explored = [record for record in records(written(world, tmp_path)) if "explored" in record]
    assert 140 < len(explored) < 260  # 200 of 4,000, four standard errors either way
    assert {record["ordering"] for record in explored} == {"shuffled"}
    assert len({tuple(c["rank"] for c in prompt(record)) for record in explored}) > 100


def test_a_few_units_ask_most_and_keep_their_ordering(tmp_path: Path) -> None:
    route = small_route(
        requests=3000.0,
        units=Units(count=200, tail=1.0),
        ordering_by="unit",
        orderings={"best_first": 1.0, "edges_first": 1.0},
    )
    asked: dict[str, list[str]] = {}
    for record in records(written(small_world(route), tmp_path)):
        asked.setdefault(record["unit_id"], []).append(record["ordering"])
    volumes = sorted((len(orderings) for orderings in asked.values()), reverse=True)
    assert sum(volumes[:20]) > 0.5 * sum(volumes)  # the Zipf law gives 20 of 200 units 61 %
    assert all(len(set(orderings)) == 1 for orderings in asked.values())
    assert {orderings[0] for orderings in asked.values()} == {"best_first", "edges_first"}


def test_four_tenants_get_four_orderings() -> None:
    names = ["best_first", "best_last", "edges_first", "edges_first_reversed"]
    route = small_route(
        units=Units(count=4), ordering_by="unit", orderings=dict.fromkeys(names, 1.0)
    )
    pairs = {
        (unit, ordering)
        for period in made(small_world(route))
        for unit, ordering in zip(period.asked.unit, period.asked.ordering, strict=True)
    }
    assert len(pairs) == len({ordering for _, ordering in pairs}) == 4


def test_weekdays_and_hours_have_their_weights(tmp_path: Path) -> None:
    hours = (0.0,) * 8 + (3.0, 1.0) + (0.0,) * 14
    world = small_world(
        small_route(requests=2000.0), weekdays=(4.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0), hours=hours
    )
    times = [record["requested_at"] for record in records(written(world, tmp_path))]
    days = Counter(time[:10] for time in times)
    assert set(days) == {f"2026-08-{day}" for day in range(17, 22)}
    assert 900 < days["2026-08-17"] < 1100  # half of 2,000
    share = sum(time[11:13] == "08" for time in times) / len(times)
    assert 0.70 < share < 0.80
    assert {time[11:13] for time in times} == {"08", "09"}


def test_requests_of_a_file_are_sorted_by_time_over_all_routes(tmp_path: Path) -> None:
    world = small_world(small_route("a"), small_route("b"))
    for content in written(world, tmp_path).values():
        times = [msgspec.json.decode(line)["requested_at"] for line in content.splitlines()]
        assert times == sorted(times)


def test_releases_are_named_from_their_hour_on(tmp_path: Path) -> None:
    release = Release(since=MONDAY + timedelta(days=2, hours=11), release="r2", model="model-z")
    seen: dict[str, list[str]] = {}
    for record in records(written(small_world(small_route(releases=(release,))), tmp_path)):
        seen.setdefault(record["release"], []).append(record["requested_at"])
    assert max(seen["r1"]) < "2026-08-19T11:00:00" <= min(seen["r2"])


def test_prompt_tokens_are_the_sum_of_their_parts(tmp_path: Path) -> None:
    for record in records(written(small_world(small_route(overhead_tokens=77)), tmp_path)):
        context = sum(chunk["tokens"] for chunk in prompt(record))
        assert record["prompt_tokens"] == 77 + record["question_tokens"] + context


def test_unanswered_requests_say_nothing_about_citations(tmp_path: Path) -> None:
    outcomes = msgspec.structs.replace(ANSWERED, refused=0.2, error=0.1, cached=0.1)
    seen = Counter[str]()
    for record in records(written(small_world(small_route(outcomes=outcomes)), tmp_path)):
        seen[record.get("outcome", "answered")] += 1
        flags = {"cited" in chunk for chunk in prompt(record)}
        assert flags <= {record.get("outcome") is None}
    assert seen["answered"] > seen["refused"] > seen["error"] > 0
    assert seen["cached"] > 0


@pytest.mark.parametrize("citations", ["flags", "list", "markers"])
def test_citations_are_written_in_the_manner_asked_for(tmp_path: Path, citations: str) -> None:
    world = small_world(small_route(outcomes=ANSWERED))
    files = written(world, tmp_path, citations=citations)
    total = json.loads((tmp_path / "truth.json").read_text())["weeks"][0]["cited"]
    seen = 0
    for record in records(files):
        flags = sum(chunk.get("cited", False) for chunk in record["chunks"])
        markers = record.get("answer", "").count("[")
        seen += flags + markers + len(record.get("citations", ()))
        assert ("citations" in record, "answer" in record) == (
            citations == "list",
            citations == "markers",
        )
    assert seen == total > 0


def test_labels_come_later_and_never_before_their_request(tmp_path: Path) -> None:
    world = small_world(small_route(judging=Judging(share=0.3, delay_days=1.0)), weeks=2)
    files = written(world, tmp_path)
    requested = {record["request_id"]: record["requested_at"] for record in records(files)}
    apart = 0
    for name, content in files.items():
        for line in content.splitlines():
            label = msgspec.json.decode(line)
            if "judged_at" not in label:
                continue
            assert label["judged_at"][:10] == name[:10]
            assert label["judged_at"] >= requested[label["request_id"]]
            apart += label["judged_at"][:10] > requested[label["request_id"]][:10]
    assert apart > 30


def test_answers_that_cite_the_expected_chunk_are_right_more_often(tmp_path: Path) -> None:
    route = small_route(requests=3000.0, outcomes=ANSWERED, judging=Judging(share=1.0, inline=1.0))
    right: dict[str, list[bool]] = {"cited": [], "uncited": [], "absent": []}
    for record in records(written(small_world(route), tmp_path)):
        (expected,) = record["expected_chunk_ids"]
        flags = [c.get("cited") for c in prompt(record) if c["chunk_id"] == expected]
        fate = "absent" if not flags else "cited" if flags[0] else "uncited"
        right[fate].append(record["correct"])
    shares = {fate: sum(answers) / len(answers) for fate, answers in right.items()}
    assert shares["cited"] == pytest.approx(0.95, abs=0.03)
    assert shares["uncited"] == pytest.approx(0.40, abs=0.08)
    assert shares["absent"] == pytest.approx(0.25, abs=0.10)


def test_labels_change_no_citation() -> None:
    plain = column(made(small_world(small_route())), "cited")
    judged = column(made(small_world(small_route(judging=Judging(share=0.5)))), "cited")
    assert np.array_equal(plain, judged)


def test_the_curve_has_its_published_values() -> None:
    depth = np.linspace(0.0, 1.0, 100_001)
    assert bump(depth).mean() == pytest.approx(1 - 1 / 2.6, abs=1e-4)
    assert bump(np.array([0.0, 0.5, 1.0])).tolist() == [0.0, 1.0, 0.0]
    tokens = np.array([1500.0, 3552.0, 8336.0, 24000.0, 90000.0])
    expected = [0.0, 0.1244, 0.2474, 0.40, 0.40]
    assert loss(tokens) == pytest.approx(expected, abs=1e-4)


def test_the_true_effect_is_that_of_the_published_generator() -> None:
    mixed = {"best_first": 0.3, "edges_first": 0.5, "best_last": 0.2}
    week = truth_of(small_world(plain_route(requests=20_000.0, orderings=mixed)))["weeks"][0]
    assert week["true_ratio"] == pytest.approx(0.9165, abs=0.003)
    assert week["comparable"] / week["requests"] == pytest.approx(5220 / 5000, abs=0.05)


def test_a_flat_model_has_no_dip_and_one_ordering_compares_nothing() -> None:
    mixed = {"best_first": 0.5, "edges_first": 0.5}
    flat = {"model-a": Model(dip=0.0)}
    week = truth_of(small_world(plain_route(orderings=mixed), models=flat))["weeks"][0]
    assert week["true_ratio"] == pytest.approx(1.0)
    alone = truth_of(small_world(plain_route(orderings={"edges_first": 1.0})))["weeks"][0]
    assert (alone["comparable"], alone["true_ratio"]) == (0.0, None)


def test_cited_rates_follow_relevance_times_theta() -> None:
    relevance = Relevance(top=0.6, decay=0.2, floor=0.02, request_sd=0.0)
    route = plain_route(
        requests=30_000.0,
        k=TopK(median=6.0, spread=0.0),
        units=Units(sd=0.0),
        relevance=relevance,
        orderings={"best_first": 1.0},
    )
    traffic = made(small_world(route, models={"model-a": Model(dip=0.0)}))
    rank, cited = column(traffic, "rank"), column(traffic, "cited")
    rates = [cited[rank == r].mean() for r in range(1, 7)]
    expected = [0.9 * (0.6 * np.exp(-0.2 * (r - 1)) + 0.02) for r in range(1, 7)]
    assert rates == pytest.approx(expected, abs=0.012)


def test_chunks_that_compete_share_one_or_two_citations() -> None:
    traffic = made(small_world(plain_route(), models={"model-a": Model(citing="compete")}))
    cited = np.concatenate(
        [np.bincount(t.chunks.request[t.chunks.cited], minlength=len(t.k)) for t in traffic]
    )
    assert set(cited.tolist()) == {0, 1, 2}


def test_near_copies_differ_in_few_bits_and_others_in_half(tmp_path: Path) -> None:
    route = small_route(copies=Copies(mirrors=0.2, exact=0.3), requests=500.0)
    world = small_world(route)
    near: list[int] = []
    others: list[int] = []
    exact = 0
    for record in records(written(world, tmp_path)):
        packed = sorted(prompt(record), key=lambda chunk: int(chunk["rank"]))
        for a, b in pairwise(packed):
            bits = (int(a["signature"], 16) ^ int(b["signature"], 16)).bit_count()
            mirrored = b["doc_id"] == a["doc_id"] + "-mirror" and b["ordinal"] == a["ordinal"]
            (near if mirrored else others).append(bits)
            exact += a["text_hash"] == b["text_hash"]
            assert (a["text_hash"] == b["text_hash"]) <= (bits == 0)
    traffic = made(world)
    redundant = column(traffic, "redundant")
    identical = traffic[0].pool.exact[column(traffic, "code")[redundant]]
    assert len(near) == redundant.sum() > 200
    assert max(near) <= 24
    assert min(others) > 30
    assert np.mean(others) == pytest.approx(64, abs=1)
    assert exact == identical.sum() > 50


def test_texts_of_near_copies_are_near_by_their_own_fingerprints(tmp_path: Path) -> None:
    copies = Copies(mirrors=0.2, exact=0.0)
    world = small_world(small_route(requests=60.0, copies=copies))
    bits: dict[bool, list[int]] = {True: [], False: []}
    for record in records(written(world, tmp_path, content="text")):
        packed = sorted(prompt(record), key=lambda chunk: int(chunk["rank"]))
        for a, b in pairwise(packed):
            prints = [fingerprint(chunk["text"]) for chunk in (a, b)]
            one, other = (int(each.signature, 16) for each in prints if each)
            bits[b["doc_id"] == a["doc_id"] + "-mirror"].append((one ^ other).bit_count())
            assert "signature" not in a
    assert np.mean(np.array(bits[True]) <= 25) > 0.98
    assert min(bits[False]) > 25


def test_texts_have_about_their_tokens_and_are_no_real_words(tmp_path: Path) -> None:
    (record, *_) = records(written(small_world(), tmp_path, content="text", citations="markers"))
    chunk = record["chunks"][0]
    assert len(chunk["text"].split()) == pytest.approx(0.75 * chunk["tokens"], abs=3)
    assert not {"the", "and", "of"} & set(chunk["text"].lower().split())


def test_without_content_nothing_shows_what_a_chunk_says(tmp_path: Path) -> None:
    (record, *_) = records(written(small_world(), tmp_path, content="none"))
    assert not {"text", "text_hash", "signature"} & set(record["chunks"][0])


def test_holes_skip_one_position(tmp_path: Path) -> None:
    world = small_world(small_route(logging=Logging(holes=0.5)))
    holed = 0
    for record in records(written(world, tmp_path)):
        positions = [chunk["position"] for chunk in prompt(record)]
        k = len(positions)
        assert len(set(positions)) == k
        assert max(positions) in (k, k + 1)
        holed += max(positions) == k + 1
    assert 100 < holed < 200


def test_noise_moves_weeks_and_nothing_inside_one() -> None:
    calm = small_world(weeks=3)
    noisy = msgspec.structs.replace(calm, noise=Noise(volume=0.3))
    volumes = [
        np.array([len(period.k) for period in made(world)]).reshape(3, 7).sum(axis=1)
        for world in (calm, noisy)
    ]
    assert volumes[0].std() < 30 < volumes[1].std()


def test_a_route_without_requests_makes_no_line(tmp_path: Path) -> None:
    assert written(small_world(small_route(requests=0.0)), tmp_path) == {}


def test_progress_is_told_after_every_day(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    simulate(small_world(small_route(requests=10.0)), tmp_path, lambda *days: seen.append(days))
    assert seen == [(day, 7) for day in range(1, 8)]
