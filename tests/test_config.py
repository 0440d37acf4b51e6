"""citelog.toml: what may stand in it, what wins, and how a wrong line is answered."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer import config
from analyzer.config.catalogue import Setting, catalogue, sections
from analyzer.config.lines import line_of
from analyzer.config.template import toml
from analyzer.config.thresholds import Drift, Effect
from analyzer.errors import CitelogError, UsageError
from analyzer.stats.settings import MEASURES, DriftSettings, EffectSettings

WRONG = """\
# a comment
store = "s.duckdb"

[inputs]
paths = [
  "logs",   # the second line of a value
]
max_rejectd = 0.1
max_rejected = "much"

[retenton]
facts_weeks = 13

[report]
forms = ["html", "docx"]
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "citelog.toml"
    file.write_text(text, encoding="utf-8")
    return file


def complaint(*arguments: object, **named: object) -> str:
    with pytest.raises(UsageError) as caught:
        config.load(*arguments, **named)  # type: ignore[arg-type]
    return str(caught.value)


def uncommented(text: str) -> str:
    """The written file with every setting in force."""
    return re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE)


class TestDefaults:
    def test_nothing_given_is_the_defaults(self) -> None:
        made = config.load()
        assert made == config.Config()
        assert made.store == Path("citations.duckdb")
        assert (made.inputs.max_rejected, made.webhook.shape) == (0.05, "slack")

    def test_thresholds_are_those_that_were_tried(self) -> None:
        made = config.load()
        assert made.effect_settings == EffectSettings()
        assert made.drift_settings == DriftSettings()

    def test_every_threshold_can_be_set_but_what_the_store_fixes(self) -> None:
        assert set(Drift.__struct_fields__) == names(DriftSettings) - {"measures"}
        fixed = {"groups", "counted", "silent", "says", "few"}
        assert set(Effect.__struct_fields__) == names(EffectSettings) - fixed
        assert set(config.load().minimum_effects) == {measure.name for measure in MEASURES}

    def test_every_setting_says_what_it_is_and_what_may_stand_there(self) -> None:
        for setting in catalogue().values():
            assert setting.holds, setting.dotted
            assert setting.says or setting.section == "minimum_effects", setting.dotted
            assert (
                setting.default not in (None, (), {}) or setting.example or setting.key == "paths"
            )

    def test_defaults_may_stand_where_they_do(self) -> None:
        for setting in catalogue().values():
            pairs = [f"{setting.dotted}={toml(setting.default)}"]
            if isinstance(setting.default, int | float | tuple | dict):
                assert config.load(given=pairs) == config.Config()


def names(kind: type) -> set[str]:
    return {field.name for field in dataclasses.fields(kind)}


class TestTheWrittenFile:
    def test_it_holds_every_setting_once_under_its_section(self, tmp_path: Path) -> None:
        text = config.template(store="s.duckdb", time_zone="Europe/Berlin", inputs_paths=["l/"])
        held = tomllib.loads(uncommented(text))
        found = {
            (name, key) if isinstance(value, dict) else ("", name)
            for name, value in held.items()
            for key in (value if isinstance(value, dict) else [""])
        }
        assert found == set(catalogue())
        assert list(held)[3:] == [name for name in sections() if name]

    def test_with_its_comments_it_means_the_defaults(self, tmp_path: Path) -> None:
        file = written(tmp_path, config.template(store="citations.duckdb"))
        made = config.load(file)
        assert msgspec.structs.replace(made, store=Path("citations.duckdb")) == config.Config()

    def test_with_every_example_in_force_it_can_be_read(self, tmp_path: Path) -> None:
        file = written(tmp_path, uncommented(config.template(inputs_paths=["logs/*.jsonl"])))
        made = config.load(file)
        assert made.retention.facts_weeks == 13
        assert made.inputs.paths == (f"{tmp_path}/logs/*.jsonl",)
        assert made.drift_settings == DriftSettings()

    def test_no_line_is_wider_than_a_screen(self) -> None:
        assert max(map(len, config.template().splitlines())) <= 98


OTHER = {
    "time_zone": "Asia/Tokyo",
    "inputs.paths": "logs, more",
    "inputs.incomplete_traces": "encrypt",
    "report.forms": "md",
    "webhook.shape": "json",
    "webhook.attempts": "2",
    "retention.facts_weeks": "3",
    "effect.least_units": "30",
    "drift.windows": "[2, 5]",
}


def another(setting: Setting) -> str:
    """Some value that is not the default, as text."""
    if setting.dotted in OTHER:
        return OTHER[setting.dotted]
    if setting.example is not None:
        return toml(setting.example).strip('"')
    if isinstance(setting.default, float):
        return str(setting.default / 2)
    return str(setting.default + 1) if isinstance(setting.default, int) else "other"


class TestPrecedence:
    def test_the_command_line_wins_over_variables_and_those_over_the_file(
        self, tmp_path: Path
    ) -> None:
        file = written(tmp_path, "[report]\nweeks = 3\n[inputs]\nmax_rejected = 0.3\n[drift]\n")
        variables = {"CITELOG_REPORT_WEEKS": "4", "CITELOG_INPUTS_MAX_REJECTED": "0.4"}
        made = config.load(file, variables, ["report.weeks=5"], {("inputs", "max_rejected"): 0.5})
        assert (made.report.weeks, made.inputs.max_rejected) == (5, 0.5)
        made = config.load(file, variables)
        assert (made.report.weeks, made.inputs.max_rejected) == (4, 0.4)

    def test_every_setting_has_a_variable_of_its_own(self) -> None:
        variables = [setting.variable for setting in catalogue().values()]
        assert len(set(variables)) == len(variables)
        assert {"CITELOG_STORE", "CITELOG_RETENTION_FACTS_WEEKS"} <= set(variables)

    @pytest.mark.parametrize("setting", catalogue().values(), ids=lambda one: one.dotted)
    def test_every_setting_can_be_given_as_a_variable_and_as_a_pair(self, setting: Setting) -> None:
        text = another(setting)
        beside = ["retention.facts_weeks=20"] if setting.key == "rollup_weeks" else []
        by_pair = config.load(given=[f"{setting.dotted}={text}", *beside])
        by_variable = config.load(environment={setting.variable: text}, given=beside)
        assert by_pair == by_variable != config.load(given=beside)

    def test_text_is_read_as_toml_where_it_is_some(self) -> None:
        pairs = ["inputs.paths=['a,b', 'c']", "prices.models={m-1 = 2}", "drift.windows=[2, 5]"]
        made = config.load(given=pairs)
        assert made.inputs.paths == ("a,b", "c")
        assert made.prices.models == {"m-1": 2.0}
        assert made.drift_settings.windows == (2, 5)

    def test_plain_text_needs_no_quotes_and_a_list_only_commas(self) -> None:
        made = config.load(
            environment={"CITELOG_INPUTS_PATHS": "logs/*.jsonl, more"},
            given=["store=2026.duckdb", "time_zone=Europe/Berlin", "webhook.shape=json"],
        )
        assert made.inputs.paths == ("logs/*.jsonl", "more")
        assert (made.store, made.time_zone) == (Path("2026.duckdb"), "Europe/Berlin")
        assert made.webhook.shape == "json"

    def test_an_empty_variable_is_none(self) -> None:
        assert config.load(environment={"CITELOG_STORE": ""}) == config.Config()

    def test_paths_of_the_file_start_at_its_folder_and_others_where_one_is(
        self, tmp_path: Path
    ) -> None:
        text = '[alerts]\nfile = "a.json"\ntextfile = "/var/c.prom"\n[inputs]\npaths = ["l/*.gz"]\n'
        made = config.load(written(tmp_path, text), given=["report.folder=out"])
        assert made.alerts.file == tmp_path / "a.json"
        assert made.alerts.textfile == Path("/var/c.prom")
        assert made.inputs.paths == (str(tmp_path / "l/*.gz"),)
        assert made.report.folder == "out"

    def test_a_tokenizer_is_a_name_or_a_file_beside_the_settings(self, tmp_path: Path) -> None:
        assert config.load().tokenizer == ""
        assert config.load(written(tmp_path, 'tokenizer = "o200k_base"')).tokenizer == "o200k_base"
        made = config.load(written(tmp_path, 'tokenizer = "m/tokenizer.json"'))
        assert made.tokenizer == f"{tmp_path}/m/tokenizer.json"

    def test_a_mapping_is_a_name_or_a_file_beside_the_settings(self, tmp_path: Path) -> None:
        text = '[inputs]\nmapping = "{}"'
        made = config.load(written(tmp_path, text.format("haystack")))
        assert made.inputs.mapping == "haystack"
        made = config.load(written(tmp_path, text.format("m/own.toml")))
        assert made.inputs.mapping == f"{tmp_path}/m/own.toml"

    def test_a_folder_named_like_a_pattern_is_that_folder(self, tmp_path: Path) -> None:
        (tmp_path / "a[1]").mkdir()
        made = config.load(written(tmp_path / "a[1]", '[inputs]\npaths = ["*.gz", "logs"]\n'))
        assert made.inputs.paths == (f"{tmp_path}/a[[]1]/*.gz", f"{tmp_path}/a[1]/logs")


class TestComplaints:
    def test_everything_wrong_is_said_at_once_with_its_line(self, tmp_path: Path) -> None:
        file = written(tmp_path, WRONG)
        assert complaint(file).split("; ") == [
            f"{file}:8: [inputs] has no setting max_rejectd",
            "the nearest is max_rejected",
            f"{file}:11: the file has no setting retenton",
            "the nearest is [retention]",
            f'{file}:9: inputs.max_rejected is "much", but a number from 0 to 1 is needed',
            f'{file}:15: report.forms is ["html", "docx"], but a list of "html", "json", "md", '
            '"pdf" is needed',
        ]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("facts_weeks = 3", ":1: facts_weeks belongs into a section; write it below [ret"),
            ("inputs = 3", ":1: inputs is a section; write [inputs] and its settings below it"),
            ("xyzzy = 3", ":1: the file has no setting xyzzy; it has store, time_zone, tokenizer"),
            ("\nstore = 3", ":2: store is 3, but the path of a file in quotes is needed"),
            ('store = ""', ':1: store is "", but the path of a file in quotes is needed'),
            ('time_zone = "Europe/Berlim"', "as Europe/Berlin is needed; the nearest is Europe/Be"),
            ("[retention]\nfacts_weeks = 1", ":2: retention.facts_weeks is 1, but a whole number"),
            ("[retention]\nfacts_weeks = 2.5", "is 2.5, but a whole number of weeks from 2 on is"),
            ("[retention]\nfacts_weeks = true", "is true, but a whole number of weeks from 2 on"),
            ('[webhook]\nshape = "slak"', ':2: webhook.shape is "slak", but "slack" or "json" is'),
            ("[minimum_effects]\ndipp = 1", ":2: [minimum_effects] has no setting dipp; the neare"),
            ("a = [1,\n2", ":2: this is no TOML where the file ends"),
            ("x = 1\nx = 2", ":2: this is no TOML from column"),
            ("x =", ":1: this is no TOML from column 4"),
            (
                "# money\n[prices] input = 2.5",
                ":2: this is no TOML from column 10; [prices] stands on a line of its own, and its "
                "settings below it",
            ),
            ("[prices] # a word\ninput = x", ":2: this is no TOML from column 9; text stands in"),
            ("[retention]\nrollup_weeks = 9", ":2: retention.rollup_weeks is 9, but counts go aft"),
            ("[drift]\nspan = 12", ":2: drift.span is 12, but least_baseline, baseline_weeks and"),
            ("[drift]\ncandidates = 4", ":2: drift.candidates is 4, but no more of drift.recent"),
        ],
    )
    def test_one_wrong_thing(self, tmp_path: Path, text: str, said: str) -> None:
        said_of_it = complaint(written(tmp_path, text + "\n"))
        assert said in said_of_it
        assert "nvalid" not in said_of_it

    def test_a_secret_is_not_shown(self, tmp_path: Path) -> None:
        file = written(tmp_path, '[webhook]\nurl = "hooks/hush"\n[inputs]\nunit_key = "hush"\n')
        assert "hush" not in complaint(file)
        assert f"{file}:2: webhook.url must be an address" in complaint(file)

    def test_variables_and_pairs_say_where_they_are(self) -> None:
        assert complaint(environment={"CITELOG_REPORT_WEEKS": "x"}) == (
            'CITELOG_REPORT_WEEKS: report.weeks is "x", but a whole number from 1 to 104 is needed'
        )
        assert complaint(given=["report.week=3"]) == (
            "--set report.week: [report] has no setting week; the nearest is weeks"
        )
        assert complaint(given=["reports.weeks=3"]) == (
            "--set reports.weeks: there is no section [reports]; the nearest is report.weeks"
        )
        assert complaint(given=["foo.bar=3"]).startswith(
            "--set foo.bar: there is no section [foo]; the sections are [inputs], "
        )
        assert complaint(given=["report.weeks"]) == (
            "--set report.weeks: report.weeks has no value; write report.weeks=..."
        )

    def test_a_misspelt_variable_is_told_and_foreign_ones_are_not(self) -> None:
        variables = {"CITELOG_REPORT_WEEK": "3", "CITELOG_PORT_80_TCP": "x", "CITELOG_CONFIG": "c"}
        assert list(config.strangers(variables)) == [
            "CITELOG_REPORT_WEEK is no setting and does nothing; "
            "the nearest is CITELOG_REPORT_WEEKS"
        ]

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(CitelogError, match="there is no such file; citelog init writes one"):
            config.load(tmp_path / "gone.toml")
        (tmp_path / "latin.toml").write_bytes(b'store = "\xe4"\n')
        with pytest.raises(CitelogError, match="is no UTF-8 text"):
            config.load(tmp_path / "latin.toml")


class TestLines:
    def test_names_and_values_of_several_lines(self) -> None:
        text = '\n# a\na = """\nb = 1\n"""\n[s]\n\n"x y" = [\n # c\n 1,\n]\nd.e = 2\n[t.u]\nf = 1\n'
        assert tomllib.loads(text)["s"]["d"]["e"] == 2
        assert [
            line_of(text, path)
            for path in (["a"], ["s"], ["s", "x y"], ["s", "d", "e"], ["t", "u"], ["t", "u", "f"])
        ] == [3, 6, 8, 12, 13, 14]

    @given(st.lists(st.sampled_from(["# note", "", "{} = 1", '{} = """\n\n"""', "{} = [\n1]"])))
    def test_every_name_stands_on_its_line(self, shapes: list[str]) -> None:
        lines, expected = 1, []
        parts = []
        for number, shape in enumerate(shapes):
            if "{}" in shape:
                expected.append((f"k{number}", lines))
            parts.append(shape.format(f"k{number}"))
            lines += 1 + parts[-1].count("\n")
        text = "\n".join(parts)
        assert [line_of(text, [name]) for name, _ in expected] == [line for _, line in expected]
