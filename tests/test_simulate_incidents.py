"""Every incident changes what it says, from its hour on, on its routes, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable
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
    happening,
    made,
    plain_route,
    prompt,
    records,
    small_route,
    small_world,
    unpacked,
    written,
)

from analyzer.errors import CitelogError
from analyzer.record import Rejected, parse
from analyzer.simulate import (
    Incident,
    Model,
    Scenario,
    adjusted,
    incidents_of,
    load_incidents,
    load_scenario,
    with_incidents,
)
from analyzer.simulate.incidents import KINDS
from analyzer.simulate.traits import Copies, Judging, Segment, TopK

THURSDAY = MONDAY + timedelta(days=3)


def world(**traits: Any) -> Scenario:
    """Two routes that are alike but for their names."""
    usual: dict[str, Any] = {"outcomes": ANSWERED, "requests": 700.0}
    well = small_route("well", requests=70.0)
    return small_world(small_route("ill", **(usual | traits)), well)


def before_and_after(
    tmp_path: Path, incident: Incident, **traits: Any
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The records of `ill` on the incident's days: without it, and with it."""
    calm = written(world(**traits), tmp_path / "calm", by_route=True)
    struck = with_incidents(world(**traits), [incident])
    ill = written(struck, tmp_path / "struck", by_route=True)
    since = f"{incident.since:%Y-%m-%d}-ill"
    return tuple(
        list(records({name: lines for name, lines in files.items() if name >= since}
                     | {name: b"" for name in files if "well" in name}))
        for files in (calm, ill)
    )  # type: ignore[return-value]  # fmt: skip


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The logs of a small world in which nothing goes wrong."""
    return written(tiny(), tmp_path_factory.mktemp("calm"), by_route=True)


def tiny() -> Scenario:
    return world(requests=140.0)


@pytest.mark.parametrize("kind", list(KINDS))
def test_nothing_changes_before_it_or_on_other_routes(
    tmp_path: Path, calm: dict[str, bytes], kind: str
) -> None:
    struck = with_incidents(tiny(), [happening(kind, THURSDAY, "ill")])
    ill = written(struck, tmp_path, by_route=True)
    differing = {name for name in calm if calm[name] != ill[name]}
    assert differing == {f"2026-08-{day}-ill.jsonl" for day in range(20, 24)}


@pytest.mark.parametrize("kind", list(KINDS))
def test_it_ends_when_it_is_over(tmp_path: Path, calm: dict[str, bytes], kind: str) -> None:
    brief = msgspec.structs.replace(
        happening(kind, THURSDAY, "ill"), until=THURSDAY + timedelta(days=1)
    )
    ill = written(with_incidents(tiny(), [brief]), tmp_path, by_route=True)
    differing = {name for name in calm if calm[name] != ill[name]}
    struck_day = {"2026-08-20-ill.jsonl"}
    if kind == "reindex_copies":  # the old copies are removed, the new index stays
        assert differing > struck_day
    else:
        assert differing == struck_day


def test_it_begins_on_its_hour(tmp_path: Path) -> None:
    incident = happening("dip_deepens", THURSDAY + timedelta(hours=13), "ill")
    seen: dict[str, list[str]] = {"model-a": [], "model-b": []}
    for record in records(written(with_incidents(world(), [incident]), tmp_path)):
        if record["route"] == "ill":
            seen[record["model"]].append(record["requested_at"])
    assert max(seen["model-a"]) < "2026-08-20T13:00:00" <= min(seen["model-b"])


def copies(records: Iterable[dict[str, Any]]) -> int:
    """Packed chunks whose text is almost that of the packed chunk one rank above, by signature."""
    count = 0
    for record in records:
        by_rank = {chunk["rank"]: int(chunk["signature"], 16) for chunk in prompt(record)}
        count += sum(
            (by_rank[rank] ^ by_rank[rank - 1]).bit_count() <= 25
            for rank in by_rank
            if rank - 1 in by_rank
        )
    return count


def test_reindex_copies_puts_old_versions_after_new_ones(tmp_path: Path) -> None:
    incident = happening("reindex_copies", THURSDAY, "ill", copies=0.6, documents=0.5)
    calm, ill = before_and_after(tmp_path, incident)
    assert copies(ill) > 10 * copies(calm) > 0
    documents = set()
    for record in ill:
        chunks = record["chunks"]
        for new, old in pairwise(chunks):
            if (new["doc_id"], new["ordinal"]) != (old["doc_id"], old["ordinal"]):
                continue
            documents.add(new["doc_id"])
            assert (new["doc_version"], old["doc_version"]) == ("2", "1")
            assert old["indexed_at"] < new["indexed_at"] == "2026-08-20T00:00:00Z"
            assert 0 < new["rerank_score"] - old["rerank_score"] < 0.0005
    assert {record["index_version"] for record in ill} == {"index-1-reindexed"}
    assert 18 <= len(documents) <= 24  # half of 47 documents were crawled again


def test_cleaning_up_a_reindex_leaves_only_new_versions(tmp_path: Path) -> None:
    incident = msgspec.structs.replace(
        happening("reindex_copies", MONDAY, "ill", documents=1.0), until=THURSDAY
    )
    cleaned = written(with_incidents(world(), [incident]), tmp_path, by_route=True)
    after = [record for record in records(cleaned)
             if record["route"] == "ill" and record["requested_at"] >= "2026-08-20"]  # fmt: skip
    versions = {c["doc_version"] for record in after for c in record["chunks"]
                if not c["doc_id"].endswith("-mirror")}  # fmt: skip
    assert versions == {"2"}


def test_top_k_30_packs_thirty_chunks(tmp_path: Path) -> None:
    calm, ill = before_and_after(tmp_path, happening("top_k_30", THURSDAY, "ill"))
    assert {len(prompt(record)) for record in ill} == {30}
    assert len(ill) == len(calm)
    tokens = [np.mean([record["prompt_tokens"] for record in each]) for each in (calm, ill)]
    assert tokens[1] > 2.5 * tokens[0]


@pytest.mark.parametrize("declared", [True, False])
def test_ordering_switched_changes_only_places(tmp_path: Path, declared: bool) -> None:
    incident = happening("ordering_switched", THURSDAY, "ill", declared=declared)
    calm, ill = before_and_after(tmp_path, incident)
    for old, new in zip(calm, ill, strict=True):
        assert [c["chunk_id"] for c in old["chunks"]] == [c["chunk_id"] for c in new["chunks"]]
        assert [c["rank"] for c in prompt(new)] == sorted(c["rank"] for c in prompt(new))
        assert new.get("ordering") == ("best_first" if declared else None)


def middle_over_edge(records: Iterable[dict[str, Any]]) -> float:
    """Cited rate in the middle over that at the edges, with chance orderings."""
    packed, cited = np.zeros(2), np.zeros(2)
    for record in records:
        chunks = prompt(record)
        k = len(chunks)
        for chunk in chunks if k > 2 else ():
            p = chunk["position"]
            middle = k - 1 <= 5 * (p - 1) <= 4 * (k - 1)
            packed[int(middle)] += 1
            cited[int(middle)] += chunk["cited"]
    rates = cited / packed
    return float(rates[1] / rates[0])


def test_dip_deepens_reads_the_middle_worse_and_nothing_else(tmp_path: Path) -> None:
    incident = happening("dip_deepens", THURSDAY, "ill", factor=4.0)
    shuffled = {"orderings": {"shuffled": 1.0}, "requests": 1500.0}
    long = {"k": TopK(median=20.0, spread=0.0)}
    calm, ill = before_and_after(tmp_path, incident, **shuffled, **long)
    assert middle_over_edge(ill) < 0.8 * middle_over_edge(calm)
    for old, new in zip(calm, ill, strict=True):
        assert [c["chunk_id"] for c in prompt(old)] == [c["chunk_id"] for c in prompt(new)]
    assert {record["model"] for record in ill} == {"model-b"}
    assert {record["release"] for record in ill} == {"r1-model-b"}


def test_prompt_cut_loses_what_stands_at_the_end(tmp_path: Path) -> None:
    incident = happening("prompt_cut", THURSDAY, "ill", limit_tokens=700)
    calm, ill = before_and_after(tmp_path, incident)
    below = 0
    for old, new in zip(calm, ill, strict=True):
        assert [c["position"] for c in prompt(old)] == [c["position"] for c in prompt(new)]
        assert new["prompt_tokens"] == min(old["prompt_tokens"], 700)
        context = sum(chunk["tokens"] for chunk in prompt(new))
        below += new["prompt_tokens"] < context
        ends = 350 + new["question_tokens"] + np.cumsum([c["tokens"] for c in prompt(new)])
        assert not any(c["cited"] for c, end in zip(prompt(new), ends, strict=True) if end > 700)
    assert below > 0.2 * len(ill)


def test_prompt_cut_that_logs_what_was_kept_loses_the_second_best(tmp_path: Path) -> None:
    incident = happening("prompt_cut", THURSDAY, "ill", limit_tokens=800, logged="kept")
    calm, ill = before_and_after(tmp_path, incident)
    lost = 0
    for old, new in zip(calm, ill, strict=True):
        before, after = ([c["chunk_id"] for c in prompt(each)] for each in (old, new))
        assert after == before[: len(after)]
        ranks = {chunk["rank"] for chunk in prompt(new)}
        lost += 2 not in ranks and 3 in ranks
    assert lost > 0.3 * len(ill)


def test_retriever_drift_moves_cited_ranks_to_worse_ones(tmp_path: Path) -> None:
    calm, ill = before_and_after(tmp_path, happening("retriever_drift", THURSDAY, "ill"))
    ranks = [
        np.mean([np.log2(c["rank"]) for r in each for c in prompt(r) if c["cited"]])
        for each in (calm, ill)
    ]
    assert ranks[1] > ranks[0] + 0.1
    for old, new in zip(calm, ill, strict=True):
        assert [c["chunk_id"] for c in prompt(old)] == [c["chunk_id"] for c in prompt(new)]


def test_mix_shift_brings_more_of_the_same(tmp_path: Path) -> None:
    calm, ill = before_and_after(tmp_path, happening("mix_shift", THURSDAY, "ill", factor=3.0))
    assert 2.6 < len(ill) / len(calm) < 3.4
    rates = [np.mean([c["cited"] for r in each for c in prompt(r)]) for each in (calm, ill)]
    assert rates[1] == pytest.approx(rates[0], abs=0.03)


def test_mix_shift_inside_a_route_moves_a_segment() -> None:
    segments = (Segment(name="easy", shift=0.5), Segment(name="hard", shift=-1.5))
    base = small_world(plain_route(segments=segments))
    shifted = with_incidents(base, [happening("mix_shift", MONDAY, segment="hard", factor=5.0)])
    counts = [len(column(made(each), "rank")) for each in (base, shifted)]
    rates = [column(made(each), "cited").mean() for each in (base, shifted)]
    assert counts[0] == pytest.approx(counts[1], rel=0.02)
    assert rates[1] < 0.8 * rates[0]


@pytest.mark.parametrize("field", ["rank", "position", "tokens", "doc_id", "score"])
def test_logging_breaks_drops_a_field_of_chunks(tmp_path: Path, field: str) -> None:
    incident = happening("logging_breaks", THURSDAY, "ill", missing=[field])
    calm, ill = before_and_after(tmp_path, incident)
    for record in ill:
        assert not any(field in chunk for chunk in record["chunks"])
        parse(msgspec.json.encode(record))
    if field in ("rank", "tokens", "score"):
        for record in calm:
            for chunk in record["chunks"]:
                del chunk[field]
        assert calm == ill


@pytest.mark.parametrize("field", ["unit_id", "prompt_tokens"])
def test_logging_breaks_drops_a_field_of_requests(tmp_path: Path, field: str) -> None:
    incident = happening("logging_breaks", THURSDAY, "ill", missing=[field])
    calm, ill = before_and_after(tmp_path, incident)
    assert [{name: v for name, v in r.items() if name != field} for r in calm] == ill


def test_logging_breaks_can_lose_citations_of_a_share(tmp_path: Path) -> None:
    _, ill = before_and_after(tmp_path, happening("logging_breaks", THURSDAY, "ill", share=0.25))
    silent = [r for r in ill if not any("cited" in c for c in r["chunks"])]
    assert 0.18 < len(silent) / len(ill) < 0.32


def test_constant_positions_are_rejected_and_counted(tmp_path: Path) -> None:
    incident = happening("logging_breaks", THURSDAY, "ill", constant_positions=True)
    files = written(with_incidents(world(), [incident]), tmp_path)
    rejected = 0
    for line in (line for content in files.values() for line in content.splitlines()):
        try:
            parse(line)
        except Rejected as reason:
            rejected += "position" in str(reason)
    total = json.loads((tmp_path / "truth.json").read_text())["total"]
    assert rejected == total["rejected"] > 200


def test_score_order_needs_a_reranker(tmp_path: Path) -> None:
    _, ill = before_and_after(tmp_path, happening("score_order", THURSDAY, "ill"))
    for record in ill:
        scores = [chunk["score"] for chunk in prompt(record)]
        assert scores == sorted(scores, reverse=True)
    with pytest.raises(CitelogError, match="route ill has no reranker"):
        with_incidents(world(reranker=False), [happening("score_order", THURSDAY, "ill")])


@pytest.mark.parametrize("shift", [-1, 1])
def test_markers_off_by_one_point_to_the_neighbour(tmp_path: Path, shift: int) -> None:
    incident = happening("markers_off_by_one", THURSDAY, "ill", shift=shift)
    calm, ill = before_and_after(tmp_path, incident)
    stray = 0
    for old, new in zip(calm, ill, strict=True):
        meant = [chunk["position"] for chunk in prompt(old) if chunk["cited"]]
        assert new["citations"] == [position + shift for position in meant]
        stray += any(not 1 <= marker <= len(prompt(new)) for marker in new["citations"])
    assert stray > 0.1 * len(ill)


def test_the_truth_names_what_was_planted_with_its_defaults(tmp_path: Path) -> None:
    struck = with_incidents(world(), [happening("dip_deepens", THURSDAY, "ill")])
    written(struck, tmp_path)
    truth = json.loads((tmp_path / "truth.json").read_text())
    assert truth["incidents"] == [
        {
            "kind": "dip_deepens",
            "since": "2026-08-20T00:00:00Z",
            "until": None,
            "routes": ["ill"],
            "parameters": {"factor": 1.9, "model": "model-b", "release": ""},
        }
    ]
    (change,) = [each for each in truth["changes"] if each["since"] > "2026-08-17T00:00:00Z"]
    assert set(change["now"]) == {"dip_factor", "model", "release", "theta"}
    assert change["now"]["theta"] == {"edge": 0.9, "dip": 1.9, "citing": "independent"}


def test_the_true_dip_follows_the_model(tmp_path: Path) -> None:
    mixed = {"best_first": 0.5, "edges_first": 0.5}
    base = small_world(plain_route(orderings=mixed), weeks=2)
    later = MONDAY + timedelta(days=7)
    written(with_incidents(base, [happening("dip_deepens", later)]), tmp_path)
    weeks = json.loads((tmp_path / "truth.json").read_text())["weeks"]
    dips = {week["week"]: week["true_dip"] for week in weeks}
    assert dips["2026-W35"] == pytest.approx(1.9 * dips["2026-W34"], rel=0.1)


INCIDENTS = """
[[incidents]]
kind = "reindex_copies"
since = 2026-08-20
routes = ["ill"]
[incidents.parameters]
copies = 0.8
"""


def test_incidents_come_from_a_file_or_from_one_word(tmp_path: Path) -> None:
    path = tmp_path / "incident.toml"
    path.write_text(INCIDENTS)
    (described,) = load_incidents(path)
    assert described == happening("reindex_copies", THURSDAY, "ill", copies=0.8)
    assert incidents_of(str(path)) == (described,)
    (named,) = incidents_of("top_k_30:2026-08-20:ill,well")
    assert named == happening("top_k_30", THURSDAY, "ill", "well")
    (everywhere,) = incidents_of("prompt_cut:2026-08-20T14")
    assert everywhere == happening("prompt_cut", THURSDAY + timedelta(hours=14))


def test_a_scenario_comes_from_a_file_and_is_adjusted(tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(
        'first_day = 2026-08-17\nweeks = 2\n[[routes]]\nname = "a"\n[routes.k]\nmedian = 4.0\n'
        "[models.m]\ndip = 0.0\n" + INCIDENTS.replace('["ill"]', '["a"]')
    )
    scenario = load_scenario(path)
    assert (scenario.first_day, scenario.weeks, scenario.routes[0].k.median) == (MONDAY, 2, 4.0)
    assert scenario.models == {"m": Model(dip=0.0)}
    changed = adjusted(scenario, weeks=1, requests=10.0, seed=None, per="week", dirty=None)
    assert (changed.weeks, changed.routes[0].requests, changed.seed) == (1, 10.0, 1)
    assert (changed.layout.per, changed.layout.dirty) == ("week", 0.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("first_day = 2026-08-18", "2026-08-18 00:00 must be a Monday at midnight UTC"),
        ("weeks = 0", "`int` >= 1"),
        ("week = 3", "unknown field `week`"),
        ("weeks = ", "scenario.toml: "),
        ('[[routes]]\nname = "a"\norderings = {best = 1.0}', "ordering 'best' is not known"),
        ('[[routes]]\nname = "a"\n[[routes]]\nname = "a"', "every name must differ"),
        ('[[routes]]\nname = "a"\n[routes.copies]\nold = 0.1', "copies.generation of 1 or more"),
        ('[[incidents]]\nkind = "flood"\nsince = 2026-08-20', "incident 'flood' is not known"),
        (
            '[[incidents]]\nkind = "top_k_30"\nsince = 2026-08-20\nroutes = ["x"]',
            "no route is named 'x'; the routes are support",
        ),
        (
            '[[incidents]]\nkind = "top_k_30"\nsince = 2026-08-20T10:30:00Z',
            "10:30:00 is no whole hour",
        ),
        (
            '[[incidents]]\nkind = "top_k_30"\nsince = 2026-08-20\nparameters = {size = 3}',
            "it has no parameter 'size'; its parameters are k, budget_tokens",
        ),
        (
            '[[incidents]]\nkind = "top_k_30"\nsince = 2026-08-20\nparameters = {k = 3000}',
            "`int` <= 200",
        ),
    ],
)
def test_a_scenario_that_makes_no_sense_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    with pytest.raises(CitelogError) as refused:
        load_scenario(path)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("top_k_30", "write KIND:DATE or KIND:DATE:ROUTE,ROUTE"),
        ("top_k_30:tomorrow", "'tomorrow' is no date"),
        ("nothing.toml", "nothing.toml: it cannot be read: No such file or directory"),
    ],
)
def test_an_incident_that_cannot_be_read_is_refused(words: str, message: str) -> None:
    with pytest.raises(CitelogError, match=message):
        incidents_of(words)


def test_retrieving_more_than_the_index_holds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CitelogError, match="50 chunks are retrieved from 47 documents"):
        written(small_world(small_route(fetched=50)), tmp_path)


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("")
    with pytest.raises(CitelogError, match="logs: no folder can stand there"):
        written(small_world(), tmp_path / "logs")


def test_a_folder_in_the_way_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "2026-08-17.jsonl").mkdir()
    with pytest.raises(CitelogError, match=r"2026-08-17\.jsonl: it cannot be written: Is a dir"):
        written(small_world(), tmp_path)


def test_copies_of_copies_are_never_retrieved() -> None:
    route = small_route(copies=Copies(mirrors=1.0), judging=Judging(share=0.1))
    for period in made(small_world(route)):
        packed = period.chunks.redundant
        assert not (packed[1:] & packed[:-1]).any()


def test_weeks_and_late_days_go_to_their_files(tmp_path: Path) -> None:
    text = (
        'first_day = 2026-08-17\nweeks = 2\n[[routes]]\nname = "a"\nrequests = 70.0\n'
        '[layout]\nper = "week"\ncompression = "zst"\n'
        '[[layout.late]]\nroute = "a"\nday = 2026-08-18\narrives = 2026-08-26\n'
    )
    (tmp_path / "s.toml").write_text(text)
    files = written(load_scenario(tmp_path / "s.toml"), tmp_path / "logs")
    late = "2026-W35-late-a-0818.jsonl.gz"
    assert list(files) == ["2026-W34.jsonl.zst", late, "2026-W35.jsonl.zst"]
    days = {name: {r["requested_at"][:10] for r in records({name: files[name]})} for name in files}
    assert days[late] == {"2026-08-18"}
    assert "2026-08-18" not in days["2026-W34.jsonl.zst"]
    packed = tmp_path / "logs" / late
    assert packed.read_bytes()[4:8] == bytes(4)  # no time in the gzip header
    assert unpacked(packed) == files[packed.name]
