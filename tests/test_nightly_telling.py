"""The webhook against a real receiver that also fails, and the textfile against a real parser."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import parser
from prometheus_client.openmetrics import parser as open_metrics
from receivers import DRIP, HANG_UP, STALL, Receiver, receiving

from analyzer.config import Webhook
from analyzer.nightly import textfile, webhook
from analyzer.nightly.alerts import Alerts
from analyzer.nightly.textfile import Gauge, gauge

NAME = "2026-W47-support-near-copies"
ALARM: dict[str, Any] = {
    "alarm": NAME,
    "route": "support",
    "measure": "involved_rate",
    "raised": date(2026, 11, 16),
    "change": 0.28,
    "p": float("nan"),
    "sentence": "<support>: 29.8 % & more",
    "command": "citelog query near_copies",
    "new": True,
    "muted": False,
}
MADE = Alerts(date(2026, 11, 18), datetime(2026, 11, 18, tzinfo=UTC), None, 0, (ALARM,), ())


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as started:
        yield started


def hook(receiver: Receiver, **settings: Any) -> Webhook:
    """A long limit for who answers at once, on a busy machine too."""
    never = {STALL, DRIP}.intersection(receiver.answers)
    usual = {"attempts": 3, "timeout_seconds": 0.5 if never else 20.0, "pause_seconds": 1.0}
    return Webhook(url=receiver.url, **(usual | settings))


class TestAttempts:
    def test_what_is_taken_at_once_is_sent_once(self, receiver: Receiver) -> None:
        answer = webhook.send(hook(receiver), {"text": "ä"}, pytest.fail)
        assert (answer.taken, answer.attempts, receiver.got) == (True, 1, [{"text": "ä"}])

    @pytest.mark.parametrize("trouble", [500, 503, 429, 408, STALL, HANG_UP, DRIP])
    def test_trouble_that_may_pass_is_tried_again_after_growing_pauses(
        self, receiver: Receiver, trouble: int | str
    ) -> None:
        receiver.answers = [trouble, trouble]
        pauses: list[float] = []
        answer = webhook.send(hook(receiver), {"text": "x"}, pauses.append)
        assert (answer.taken, answer.attempts, pauses) == (True, 3, [1.0, 2.0])

    @pytest.mark.parametrize(
        ("trouble", "why"),
        [
            (500, "127.0.0.1 answered 500"),
            (STALL, "127.0.0.1: no answer in 0.5 seconds"),
            (DRIP, "127.0.0.1: no answer in 0.5 seconds"),
        ],
    )
    def test_it_gives_up_in_time_and_says_why_without_the_address(
        self, receiver: Receiver, trouble: int | str, why: str
    ) -> None:
        receiver.answers = [trouble] * 9
        began = time.monotonic()
        answer = webhook.send(hook(receiver, attempts=2), {"text": "x"}, lambda _: None)
        assert (answer.taken, answer.attempts, answer.why) == (False, 2, why)
        assert time.monotonic() - began < 5

    @pytest.mark.parametrize("refused", [400, 403, 404, 410])
    def test_a_refusal_is_not_tried_again(self, receiver: Receiver, refused: int) -> None:
        receiver.answers = [refused]
        answer = webhook.send(hook(receiver), {"text": "x"}, pytest.fail)
        assert (answer.taken, answer.attempts, receiver.heard) == (False, 1, 1)

    def test_alarms_are_not_carried_elsewhere(self, receiver: Receiver) -> None:
        receiver.answers = [302]
        answer = webhook.send(hook(receiver, attempts=1), {"text": "x"})
        assert (answer.taken, answer.why, receiver.heard) == (False, "127.0.0.1 answered 302", 1)

    def test_nobody_there(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}/hush"
        answer = webhook.send(Webhook(url=url, attempts=1), {"text": "x"})
        assert not answer.taken
        assert "127.0.0.1" in answer.why
        assert "hush" not in answer.why


class TestShapes:
    def test_slack_reads_a_text_in_which_names_are_no_markup(self) -> None:
        text = webhook.slack(MADE, [ALARM], ["2026-W40-docs-dip"])["text"]
        assert text.splitlines() == [
            "*citelog*, night of 2026-11-18: 1 new, 1 open",
            f"*{NAME}*",
            "&lt;support&gt;: 29.8 % &amp; more",
            "`citelog query near_copies`",
            "over: 2026-W40-docs-dip",
        ]

    def test_many_alarms_are_counted(self) -> None:
        text = webhook.slack(MADE, [ALARM] * 23, [])["text"]
        assert text.count("29.8 %") == 20
        assert text.endswith("and 3 more; citelog alerts lists them")

    def test_plain_json_has_every_number(self, receiver: Receiver) -> None:
        body = webhook.every_number(MADE, [ALARM], [])
        assert webhook.send(hook(receiver), body).taken
        [got] = receiver.got
        assert got["night"] == "2026-11-18"
        assert got["open"] == [NAME]
        [new] = got["new"]
        assert (new["raised"], new["change"], new["p"]) == ("2026-11-16", 0.28, None)


GAUGES = (
    gauge("citelog_night_timestamp_seconds", "When.", 1796023666.5, "seconds"),
    Gauge("citelog_alarm", 'A "help" with \\ in it.', (({"route": 'a"b\\c\nd'}, 1),)),
    Gauge("citelog_estimate", "Values.", (({"route": "a"}, 1e-9), ({"route": "b"}, -0.25))),
    Gauge("citelog_empty", "Left out.", ()),
)


@pytest.mark.parametrize("parse", [parser, open_metrics])
def test_the_textfile_is_read_by_both_parsers(parse: Any, tmp_path: Path) -> None:
    textfile.write(GAUGES, tmp_path / "c.prom")
    families = list(parse.text_string_to_metric_families((tmp_path / "c.prom").read_text()))
    assert [(one.name, one.type) for one in families] == [
        ("citelog_night_timestamp_seconds", "gauge"),
        ("citelog_alarm", "gauge"),
        ("citelog_estimate", "gauge"),
    ]
    assert [(sample.labels, sample.value) for one in families for sample in one.samples] == [
        ({}, 1796023666.5),
        ({"route": 'a"b\\c\nd'}, 1.0),
        ({"route": "a"}, 1e-9),
        ({"route": "b"}, -0.25),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["c.prom"]


def test_units_are_told_where_there_are_some() -> None:
    text = textfile.text(GAUGES)
    assert "# UNIT citelog_night_timestamp_seconds seconds\n" in text
    assert text.endswith("# EOF\n")
