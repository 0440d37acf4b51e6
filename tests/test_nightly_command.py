"""`citelog init`, `nightly` and `backfill` as a scheduler sees them: exit codes, streams, files."""

from __future__ import annotations

import fcntl
import json
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from loading.records import lines, request
from nights import of_day
from prometheus_client.openmetrics import parser
from receivers import Receiver, receiving

from analyzer.cli import main

Captured = pytest.CaptureFixture[str]
TODAY = datetime.now(UTC).date()


def log(name: str, days_ago: range, requests: int = 30) -> None:
    """Days of two routes, in a file of the current folder's logs."""
    folder = Path("logs")
    folder.mkdir(exist_ok=True)
    records = [
        one
        for ago in days_ago
        for route in ("support", "docs")
        for one in of_day(TODAY - timedelta(days=ago), route, requests)
    ]
    (folder / name).write_text(lines(records))


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> Path:
    """A folder with a configuration, a store, and three weeks of logs that end yesterday."""
    monkeypatch.chdir(tmp_path)
    log("old.jsonl", range(1, 22), requests=11)
    assert main.run(["init", "--input", "logs"]) == 0
    capsys.readouterr()
    return tmp_path


@pytest.fixture
def silent(service: Path) -> Path:
    """The same, where support fell silent two days ago."""
    log("old.jsonl", range(1, 22), requests=25)
    text = (service / "logs" / "old.jsonl").read_text().splitlines()
    days = [str(TODAY - timedelta(days=ago)) for ago in (1, 2)]
    kept = [one for one in text if not any(f"support-{day}" in one for day in days)]
    (service / "logs" / "old.jsonl").write_text("\n".join(kept) + "\n")
    return service


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as started:
        yield started


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(capsys: Captured) -> Run:
    """The command in the current folder; that processes leave with these codes is shown apart."""

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        capsys.readouterr()
        code = main.run([*arguments])
        return subprocess.CompletedProcess(arguments, code, *capsys.readouterr())

    return command


class TestInit:
    def test_it_writes_a_file_that_names_everything_and_makes_the_store(
        self, service: Path, capsys: Captured
    ) -> None:
        text = Path("citelog.toml").read_text()
        assert 'store = "citations.duckdb"' in text
        assert 'paths = ["logs"]' in text
        assert "# facts_weeks = 13" in text
        assert main.run(["init"]) == 2
        assert "citelog.toml: is there already" in capsys.readouterr().err

    def test_it_fixes_the_time_zone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("conf").mkdir()
        asked = ["init", "--config", "conf/night.toml", "--store", "s.duckdb"]
        assert main.run([*asked, "--time-zone", "Europe/Berlim"]) == 2
        assert main.run([*asked, "--time-zone", "Europe/Berlin"]) == 0
        assert "s.duckdb cuts its days in Europe/Berlin" in capsys.readouterr().out
        assert 'store = "../s.duckdb"' in Path("conf/night.toml").read_text()
        night = ["nightly", "--config", "conf/night.toml", "--input", "logs"]
        assert main.run(night) == 0
        assert main.run([*night, "--set", "time_zone=UTC"]) == 2
        assert 'set time_zone to "Europe/Berlin"' in capsys.readouterr().err


class TestExitCodes:
    """Those of the README."""

    def test_0_and_5_where_nothing_is_new(self, service: Path, run: Run) -> None:
        first = run("nightly", "--fail-on", "alarm", "--fail-on", "empty")
        assert (first.returncode, first.stderr) == (0, "")
        assert first.stdout.count("\n") == 5
        assert "files 1 new; 462 lines = 462 loaded + 0 duplicate" in first.stdout
        again = run("nightly")
        assert again.returncode == 0
        assert "files 1 known; 0 lines" in again.stdout
        assert run("nightly", "--fail-on", "empty").returncode == 5

    def test_1_where_it_cannot_be_done(self, service: Path, run: Run) -> None:
        done = run("nightly", "--set", "alerts.file=/gone/alerts.json")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == (
            "/gone/alerts.json: the folder it is to lie in is not there; make it first\n"
        )
        done = run("nightly", "--config", "gone.toml")
        assert done.returncode == 1
        assert done.stderr == "gone.toml: there is no such file; citelog init writes one\n"

    def test_2_where_the_configuration_is_wrong(self, service: Path, run: Run) -> None:
        Path("citelog.toml").write_text('store = "s.duckdb"\n[inputs]\npath = ["logs"]\n')
        done = run("nightly")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            "citelog.toml:3: [inputs] has no setting path; the nearest is paths\n"
        )
        done = run("nightly", "--config", "/dev/null")
        assert done.returncode == 2
        assert done.stderr == (
            "/dev/null: no inputs are named; set inputs.paths in it, or give --input\n"
        )

    @pytest.mark.parametrize("command", [["nightly"], ["backfill", "2026-11-17"]])
    def test_2_where_the_job_starts_in_a_folder_without_its_configuration(
        self, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
    ) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.delenv("CITELOG_CONFIG", raising=False)
        done = run(*command)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"no inputs are named, and no citelog.toml lies in {tmp_path}, where this job started; "
            "start it in the folder that has one, name the file with --config, let citelog init "
            "write one, or give --input\n"
        )
        assert list(tmp_path.iterdir()) == []

    def test_3_where_an_alarm_stands_that_is_not_muted(self, silent: Path, run: Run) -> None:
        assert run("nightly").returncode == 0
        done = run("nightly", "--fail-on", "alarm")
        assert done.returncode == 3
        assert "1 open, 1 new" in done.stdout
        name = f"{TODAY}-support-silent"
        assert run("mute", name, "--until", "2100-01-01").returncode == 0
        done = run("nightly", "--fail-on", "alarm")
        assert done.returncode == 0
        assert "0 open, 0 new, 0 over, 1 muted" in done.stdout

    def test_4_in_the_night_that_sets_a_file_aside(self, service: Path, run: Run) -> None:
        Path("logs/spoilt.jsonl").write_text(lines([request("a")]) + "no record\n")
        done = run("nightly")
        assert done.returncode == 4
        assert "logs/spoilt.jsonl: set aside, too much of it is rejected" in done.stderr
        assert "files 1 new, 1 set aside" in done.stdout
        again = run("nightly")
        assert again.returncode == 0
        assert "files 1 known, 1 set aside earlier; 0 lines" in again.stdout
        allowed = run("nightly", "--set", "inputs.max_rejected=0.5")
        assert allowed.returncode == 0
        assert "files 1 new, 1 known; 2 lines = 1 loaded" in allowed.stdout

    def test_4_as_long_as_a_file_is_no_log(self, service: Path, run: Run) -> None:
        Path("logs/picture.jsonl").write_bytes(b"\x89PNG\r\n\x1a\n" * 20)
        for _ in range(2):
            done = run("nightly")
            assert done.returncode == 4
            assert "logs/picture.jsonl: is not a citation log" in done.stderr

    def test_6_while_another_night_or_writer_holds_the_store(self, service: Path, run: Run) -> None:
        for lock, said in (("night.lock", "another night is running"), ("lock", "another writer")):
            with Path(f".citations.duckdb.{lock}").open("w") as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                done = run("nightly")
            assert done.returncode == 6
            assert said in done.stderr


class TestOutputs:
    @pytest.mark.parametrize("more", [[], ["--dry-run"]])
    def test_what_no_setting_asks_for_is_said_with_the_setting(
        self, service: Path, capsys: Captured, more: list[str]
    ) -> None:
        assert main.run(["nightly", *more]) == 0
        told = capsys.readouterr().out.splitlines()
        assert told[2] == "reports: none is made; set report.folder"
        assert told[4] == "told: nobody; set alerts.file or webhook.url"

    def test_alerts_and_figures_are_written(self, silent: Path, capsys: Captured) -> None:
        outputs = ["--set", "alerts.file=a.json", "--set", "alerts.textfile=c.prom"]
        prices = ["--set", "prices.input=2.0"]
        assert main.run(["nightly", *outputs, *prices]) == 0
        assert capsys.readouterr().out.splitlines()[4] == "told: a.json, c.prom"
        held = json.loads(Path("a.json").read_text())
        [alarm] = held["alarms"]
        assert (alarm["alarm"], alarm["new"]) == (f"{TODAY}-support-silent", True)
        assert alarm["sentence"].startswith("support had no requests on ")
        families = {
            one.name: one
            for one in parser.text_string_to_metric_families(Path("c.prom").read_text())
        }
        assert all(one.documentation for one in families.values())
        values = {
            (sample.name, *sample.labels.values()): sample.value
            for one in families.values()
            for sample in one.samples
        }
        assert values["citelog_alarms", "open"] == 1
        assert values["citelog_alarm", alarm["alarm"], "support", "silence"] == 1
        assert values["citelog_night_lines", "loaded"] == 21 * 50 - 50
        assert values["citelog_requests", "docs"] == 7 * 25
        assert values["citelog_redundant_cost", "docs"] == 0
        assert values["citelog_estimate", "docs", "citation_free_rate"] == 0

    def test_log_lines_for_machines(self, silent: Path, capsys: Captured) -> None:
        assert main.run(["nightly", "--log", "json", "--set", "report.folder=reports"]) == 0
        out, err = capsys.readouterr()
        assert out.count("\n") == 5
        steps = [json.loads(line) for line in err.splitlines()]
        assert [one["step"] for one in steps] == ["file", "raised", "report"]
        assert all(datetime.fromisoformat(one["at"]).tzinfo for one in steps)
        assert steps[0]["loaded"] == 21 * 50 - 50

    def test_paths_without_a_file_are_told_and_no_error(
        self, service: Path, capsys: Captured
    ) -> None:
        assert main.run(["nightly", "--input", "logs", "--input", "more/*.jsonl"]) == 0
        out, err = capsys.readouterr()
        assert err == (
            "more/*.jsonl: no file matches; check the pattern and the folder it starts from\n"
        )
        assert "files 1 new, 1 path without a file; 462 lines" in out

    def test_nothing_but_paths_without_a_file_is_empty_and_says_so(
        self, service: Path, capsys: Captured
    ) -> None:
        assert main.run(["nightly", "--input", "gone", "--fail-on", "empty"]) == 5
        out, err = capsys.readouterr()
        assert "files 1 path without a file; 0 lines" in out
        assert err.startswith("gone: there is no such file")

    def test_variables_win_over_the_file_and_strange_ones_are_told(
        self, service: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CITELOG_ALERTS_FILE", "there.json")
        monkeypatch.setenv("CITELOG_ALERT_FILE", "nowhere.json")
        assert main.run(["nightly"]) == 0
        assert "the nearest is CITELOG_ALERTS_FILE" in capsys.readouterr().err
        assert Path("there.json").exists()


class TestTheReceiver:
    def night(self, receiver: Receiver, *more: str) -> int:
        settings = ("timeout_seconds=0.3", "pause_seconds=0", "shape=json")
        pairs = [word for one in settings for word in ("--set", f"webhook.{one}")]
        return main.run(["nightly", "--set", f"webhook.url={receiver.url}", *pairs, *more])

    def test_it_is_told_once(self, silent: Path, receiver: Receiver, capsys: Captured) -> None:
        assert self.night(receiver) == 0
        assert capsys.readouterr().out.splitlines()[4] == "told: webhook"
        [body] = receiver.got
        assert [one["alarm"] for one in body["new"]] == [f"{TODAY}-support-silent"]
        assert self.night(receiver) == 0
        assert capsys.readouterr().out.splitlines()[4] == "told: nobody"
        assert receiver.heard == 1

    @pytest.mark.parametrize("trouble", [500, "stall"])
    def test_one_that_fails_fails_no_night_and_is_told_the_next(
        self, silent: Path, receiver: Receiver, capsys: Captured, trouble: int | str
    ) -> None:
        receiver.answers = [trouble] * 3
        assert self.night(receiver) == 0
        out, err = capsys.readouterr()
        assert err.count("\n") == 1
        assert err.startswith("webhook: 127.0.0.1")
        assert "hook/secret" not in err + out
        assert "told: webhook failed (127.0.0.1" in out
        assert self.night(receiver) == 0
        assert [one["alarm"] for one in receiver.got[0]["new"]] == [f"{TODAY}-support-silent"]

    def test_a_muted_alarm_is_not_told(self, silent: Path, receiver: Receiver) -> None:
        assert main.run(["nightly"]) == 0
        name = f"{TODAY}-support-silent"
        assert main.run(["mute", name, "--until", "2100-01-01"]) == 0
        assert self.night(receiver) == 0
        assert receiver.heard == 0

    def test_the_end_of_an_alarm_is_told(self, silent: Path, receiver: Receiver) -> None:
        assert self.night(receiver) == 0
        log("new.jsonl", range(1, 3), requests=25)
        assert self.night(receiver) == 0
        assert receiver.got[1]["over"] == [f"{TODAY}-support-silent"]
        assert receiver.got[1]["new"] == []


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and not file.name.endswith(".lock")
    }


def test_a_dry_run_says_what_the_night_says_and_keeps_nothing(
    silent: Path, receiver: Receiver, capsys: Captured
) -> None:
    asked = ["nightly", "--set", "report.folder=reports", "--set", "alerts.file=a.json"]
    asked += ["--set", f"webhook.url={receiver.url}"]
    before = everything(silent)
    assert main.run([*asked, "--dry-run", "--fail-on", "alarm"]) == 3
    dry = capsys.readouterr().out.splitlines()
    assert everything(silent) == before
    assert receiver.heard == 0
    assert ", dry run: nothing is kept: files 1 new" in dry[0]
    assert dry[4] == "told: nobody"
    assert main.run(asked) == 0
    wet = capsys.readouterr().out.splitlines()
    assert dry[0].replace(", dry run: nothing is kept", "") == wet[0]
    assert dry[1:3] == wet[1:3]
    assert receiver.heard == 1


class TestBackfill:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("yesterday", "night is 'yesterday', which is no such thing as 2026-11-16"),
            ("2150-01-01", "2150-01-01 is not over yet"),
            ("0001-01-01", "night 0001-01-01 is outside the years 1970 to 2199"),
        ],
    )
    def test_only_nights_that_were(
        self, service: Path, capsys: Captured, text: str, said: str
    ) -> None:
        assert main.run(["backfill", text]) == 2
        assert said in capsys.readouterr().err
        assert main.run(["nightly", "--backfill", text]) == 2

    def test_it_loads_and_looks_back(self, service: Path, capsys: Captured) -> None:
        nights = [str(TODAY - timedelta(days=ago)) for ago in (3, 2)]
        assert main.run(["backfill", *nights]) == 0
        assert "files 1 new" in capsys.readouterr().out


class TestOtherCommands:
    """`citelog alerts` and the rest ask the store, and judge by the thresholds, of citelog.toml."""

    def test_the_store_is_that_of_the_configuration(
        self, silent: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Path("citelog.toml").write_text(
            Path("citelog.toml").read_text().replace("citations.duckdb", "night.duckdb")
        )
        assert main.run(["nightly"]) == 0
        capsys.readouterr()
        assert main.run(["alerts", "--fail-on", "alarm"]) == 3
        assert f"{TODAY}-support-silent" in capsys.readouterr().out
        Path("elsewhere").mkdir()
        monkeypatch.chdir("elsewhere")
        assert main.run(["batches"]) == 1
        monkeypatch.setenv("CITELOG_CONFIG", "../citelog.toml")
        assert main.run(["batches"]) == 0
        monkeypatch.setenv("CITELOG_STORE", "other.duckdb")
        assert main.run(["batches"]) == 1
        assert "other.duckdb: there is no store" in capsys.readouterr().err

    def test_a_wrong_configuration_is_told_by_those_that_need_it(
        self, service: Path, capsys: Captured
    ) -> None:
        Path("citelog.toml").write_text("[drift]\nat_one = 3\n")
        assert main.run(["alerts"]) == 2
        assert "citelog.toml:2: [drift] has no setting at_one" in capsys.readouterr().err
        assert main.run(["queries"]) == 0
        assert main.run(["alerts", "--help"]) == 0

    def test_ingest_takes_its_inputs_settings(self, service: Path, capsys: Captured) -> None:
        Path("spoilt.jsonl").write_text(lines([request("a")]) + "no record\n")
        assert main.run(["ingest", "spoilt.jsonl"]) == 4
        text = Path("citelog.toml").read_text()
        Path("citelog.toml").write_text(text.replace("# max_rejected = 0.05", "max_rejected = 0.5"))
        assert main.run(["ingest", "spoilt.jsonl"]) == 0
        assert main.run(["ingest", "spoilt.jsonl", "--time-zone", "Asia/Tokyo"]) == 2
