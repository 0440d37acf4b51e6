"""Every setting of the nightly job, with its default, its meaning and what may stand there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from msgspec import field
from msgspec.structs import asdict

from analyzer.config.kinds import (
    FINITE,
    SECRET,
    ZONE,
    Address,
    Count,
    File,
    Folder,
    Form,
    NotNegative,
    Offset,
    Section,
    Share,
    UnitKey,
    Weeks,
    says,
)
from analyzer.config.thresholds import Drift, Effect
from analyzer.stats.settings import MEASURES, DriftSettings, EffectSettings

MINIMUM_EFFECTS_SAY = (
    "The smallest change of each measure that is ever reported, in its own unit: a share, or a "
    "logarithm (natural; of ranks to base 2)."
)


class Inputs(Section, frozen=True):
    """What is loaded. A file whose content was loaded before is skipped, whatever its name."""

    paths: Annotated[
        tuple[str, ...],
        says(
            "Files, folders and globs, also as s3://bucket/logs/; ** goes through folders.",
            title="a list of paths in quotes",
        ),
    ] = ()
    rollups: Annotated[
        Folder | None,
        says(
            "Where citelog rollup publishes, a folder or an address: its days are loaded every "
            "night, in the place of logs.",
            examples=["rollups"],
        ),
    ] = None
    format: Annotated[
        str | None,
        says(
            "Read every file as this format, one that citelog formats lists, or flat_csv; found "
            "out file by file where this is left out.",
            title="the name of a format in quotes",
            examples=["flat_csv"],
        ),
    ] = None
    mapping: Annotated[
        str | None,
        says(
            "Read every file with this mapping: a .toml file, or the name of one that citelog "
            "formats lists.",
            title="the path of a .toml file, or a name, in quotes",
            examples=["mapping.toml"],
        ),
    ] = None
    route_attribute: Annotated[
        str | None,
        says(
            "The attribute of spans, or the key of their metadata, that names the route of a "
            "trace; its root's name where this is left out.",
            title="the name of an attribute in quotes",
            examples=["app.route"],
        ),
    ] = None
    assume_timezone: Annotated[
        Offset | None, says("Offset of times that carry none.", examples=["+02:00"])
    ] = None
    marker_base: Annotated[
        Literal[0, 1] | None,
        says(
            "What answers call the first chunk; found out file by file where this is left out.",
            title="0 or 1",
            examples=[1],
        ),
    ] = None
    max_rejected: Annotated[
        Share, says("Set a file aside when a larger share of its lines is rejected.")
    ] = 0.05
    incomplete_traces: Annotated[
        Literal["keep", "encrypt", "refuse"],
        says(
            "What becomes of traces whose other spans may come in a later load. keep: they wait "
            "in a folder beside the store, without their texts; those that only texts could put "
            "together are left out. encrypt: all of them wait, encrypted. refuse: none does.",
            title='"keep", "encrypt" or "refuse"',
        ),
    ] = "keep"
    incomplete_days: Annotated[
        Count, says("After so many days they are given up, and counted.")
    ] = 7
    incomplete_key: Annotated[
        str | None,
        says(
            "The key they are encrypted with: 32 bytes in base64. Better given as "
            "CITELOG_INPUTS_INCOMPLETE_KEY.",
            title="32 bytes in base64, in quotes",
            examples=["what openssl rand -base64 32 prints"],
            extra=SECRET,
        ),
    ] = None
    incomplete_key_file: Annotated[
        File, says("Or a file that holds it and that only its owner can read.", examples=["key"])
    ] = None
    unit_key: Annotated[
        UnitKey | None,
        says(
            "Key of the hash that counts units, for a new store; drawn at random where left out. "
            "Better given as CITELOG_INPUTS_UNIT_KEY.",
            examples=["00ff00ff"],
            extra=SECRET,
        ),
    ] = None


class Report(Section, frozen=True):
    """The weekly report: made when a week has closed, again when a late file touched it."""

    folder: Annotated[
        Folder | None,
        says(
            "Where the reports go, as 2026-W47.html: a folder, or an address as "
            "s3://bucket/reports. None are made where this is left out.",
            examples=["reports"],
        ),
    ] = None
    forms: Annotated[
        tuple[Form, ...],
        says(
            'Of "html", "json", "md", "pdf"; "pdf" needs the pdf extra of citelog.',
            title='a list of "html", "json", "md", "pdf"',
        ),
    ] = ("html", "json")
    weeks: Annotated[
        int,
        says(
            "How many trailing weeks are drawn.", ge=1, le=104, title="a whole number from 1 to 104"
        ),
    ] = 14


class Alerts(Section, frozen=True):
    """Where the alarms that stand are written every night, whole or not at all."""

    file: Annotated[File, says("All of them as JSON.", examples=["alerts.json"])] = None
    textfile: Annotated[
        File,
        says(
            "Figures of the night for a Prometheus textfile collector.",
            examples=["citelog.prom"],
        ),
    ] = None


class Webhook(Section, frozen=True):
    """Who is told of alarms that are new or over. It never fails the night: what could not be
    told is told again the next night."""

    url: Annotated[
        Address | None,
        says(
            "An http(s) address; best given as CITELOG_WEBHOOK_URL.",
            examples=["https://hooks.example.org/T000/B000"],
            extra=SECRET,
        ),
    ] = None
    shape: Annotated[
        Literal["slack", "json"],
        says('"slack" (a text) or "json" (every number).', title='"slack" or "json"'),
    ] = "slack"
    attempts: Annotated[
        int, says("How often it is tried.", ge=1, le=5, title="a whole number from 1 to 5")
    ] = 3
    timeout_seconds: Annotated[
        float,
        says("How long each attempt may take.", gt=0.0, le=30.0, title="a number up to 30"),
    ] = 5.0
    pause_seconds: Annotated[
        float,
        says(
            "Pause before the second attempt, doubled before each further one.",
            ge=0.0,
            le=10.0,
            title="a number from 0 to 10",
        ),
    ] = 1.0


class Retention(Section, frozen=True):
    """What is kept, in whole weeks before the present one. Everything, where left out."""

    facts_weeks: Annotated[
        Weeks | None,
        says(
            "Requests and chunks; older weeks are sealed, and their counts stand.",
            examples=[13],
        ),
    ] = None
    rollup_weeks: Annotated[
        Weeks | None,
        says(
            "Counts per day, of sealed weeks only; the estimates of each week stay, "
            "so that alarms do not change.",
            examples=[104],
        ),
    ] = None


class Volume(Section, frozen=True):
    """When the night alarms on silence: a route, a file or a field that is missing."""

    weeks: Annotated[Count, says("How many weeks before are looked at.")] = 4
    least_requests: Annotated[
        Count, says("A route is watched on weekdays that had so many in each of those weeks.")
    ] = 20
    remaining: Annotated[
        Share, says("It is silent with at most this share of the lowest of them.")
    ] = 0.1
    least_fields: Annotated[
        Count, says("A field is watched on days with so many requests, answers or chunks.")
    ] = 50
    usually_missing: Annotated[
        Share, says("A field is usual where at most this share lacked it before.")
    ] = 0.05
    vanished: Annotated[Share, says("It vanished where at least this share lacks it.")] = 0.5
    rejected: Annotated[
        Share, says("A rise of the rejected share of all lines by this much alarms.")
    ] = 0.05
    least_rejected: Annotated[Count, says("And at least so many lines were rejected.")] = 20


class Prices(Section, frozen=True):
    """What a million prompt tokens cost, in any one currency.

    The weekly report, what-if and the textfile then tell money beside tokens, in that currency.
    """

    input: Annotated[
        NotNegative | None, says("Of every model that is not named below.", examples=[2.5])
    ] = None
    models: Annotated[
        dict[str, NotNegative],
        says(
            "By model.",
            title="a table of models and numbers as {m-1 = 2.5}",
            examples=[{"m-1": 2.5}],
        ),
    ] = field(default_factory=dict)


class WhatIf(Section, frozen=True):
    """What `citelog what-if` counts with."""

    prefill_tokens_per_second: Annotated[
        float,
        says(
            "Prompt tokens that the model reads in a second before its answer begins.",
            gt=0.0,
            le=FINITE,
            title="a number above 0",
        ),
    ] = 20_000.0
    requests: Annotated[
        Count, says("How many requests of a route are replayed; of more, always the same ones.")
    ] = 20_000


class Config(Section, frozen=True):
    """What `citelog nightly` does, whole and checked."""

    store: Annotated[
        Path, says("The store: one DuckDB file.", title="the path of a file in quotes")
    ] = Path("citations.duckdb")
    time_zone: Annotated[
        str | None,
        says(
            "IANA zone that cuts days and weeks; fixed when the store is made.",
            title="an IANA zone as Europe/Berlin",
            extra=ZONE,
            examples=["UTC"],
        ),
    ] = None
    tokenizer: Annotated[
        str,
        says(
            "Counts the tokens of texts that come without a count: a name of tiktoken or "
            "bpe-openai, as o200k_base or voyage3, or the path of a tokenizer.json. Empty: "
            "nothing is counted, and chunks without a count have no tokens.",
            title="the name of a tokenizer, or the path of a tokenizer.json, in quotes",
        ),
    ] = ""
    inputs: Inputs = Inputs()
    report: Report = Report()
    alerts: Alerts = Alerts()
    webhook: Webhook = Webhook()
    retention: Retention = Retention()
    volume: Volume = Volume()
    prices: Prices = field(default_factory=Prices)
    what_if: WhatIf = WhatIf()
    effect: Effect = Effect()
    drift: Drift = Drift()
    minimum_effects: dict[str, float] = field(
        default_factory=lambda: {measure.name: measure.minimum_effect for measure in MEASURES}
    )

    @property
    def effect_settings(self) -> EffectSettings:
        """The thresholds of the position effect, as `stats` takes them."""
        return EffectSettings(**asdict(self.effect))

    @property
    def drift_settings(self) -> DriftSettings:
        """The thresholds of drift, with the minimum effect of each measure."""
        measures = tuple(
            replace(measure, minimum_effect=self.minimum_effects[measure.name])
            for measure in MEASURES
        )
        return DriftSettings(**asdict(self.drift), measures=measures)
