"""The night from its first file to its summary, each step safe to be broken off and done again.

Facts are published by one rename; alarms are written down before anybody is told; what was told is
written down after; reports and files are whole or not there. So a night that is killed anywhere and
run again ends as one that was not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analyzer import store, watch
from analyzer.nightly import alerts as alarms
from analyzer.nightly import gauges, reports, retention, saying, textfile, webhook
from analyzer.nightly.alerts import Alerts
from analyzer.nightly.alone import alone
from analyzer.nightly.calendar import Night
from analyzer.nightly.done import Done
from analyzer.nightly.loading import loaded
from analyzer.nightly.looking import Look, again, look
from analyzer.nightly.plan import Plan
from analyzer.nightly.silence import silences
from analyzer.nightly.webhook import Answer
from analyzer.sources.waiting import waiting
from analyzer.watch import Said
from analyzer.watch.raising import told, untold

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

    from analyzer.config import Config


def run(plan: Plan) -> Done:
    """One night. Raises `StoreLocked` while another one runs."""
    with alone(plan.store):
        return run_alone(plan)


def run_alone(plan: Plan) -> Done:
    """The same for who holds the lock already."""
    found, batches = loaded(plan)
    with store.reader(plan.store) as con:
        seen = _seen(plan, con)
        weeks = _reported(plan, con, seen)
    config = plan.config
    outputs = (config.alerts.file, config.alerts.textfile)
    done = Done(
        began=plan.now,
        store=str(plan.store),
        store_bytes=plan.store.stat().st_size,
        inputs=found,
        batches=batches,
        look=seen.look,
        alerts=seen.alerts,
        reports=weeks,
        held=_kept(plan, seen),
        told=seen.answer,
        written=tuple(str(file) for file in outputs if file is not None),
        reporting=config.report.folder is not None,
        telling=tells(config),
        waiting=waiting(plan.store),
    )
    if config.alerts.textfile is not None:
        figures = gauges.gauges(done, seen.tokens, config.prices)
        textfile.write(figures, config.alerts.textfile)
    return done


def tells(config: Config) -> bool:
    """Whether anybody is told of alarms."""
    receivers = (config.alerts.file, config.alerts.textfile, config.webhook.url)
    return any(one is not None for one in receivers)


@dataclass(frozen=True)
class _Seen:
    look: Look
    said: list[Said]
    alerts: Alerts
    answer: Answer | None
    tokens: list[Mapping[str, Any]]
    held: retention.Held


def _seen(plan: Plan, con: Connection) -> _Seen:
    """Look, write down, tell; the receiver comes last, because it may take its time."""
    night = Night.of(plan.now, str(store.settings(con)["time_zone"]))
    seen, said = _looked(plan, con, night)
    made = alarms.alerts(con, seen, said, plan.now, plan.config.effect_settings)
    if plan.config.alerts.file is not None:
        alarms.write(made, plan.config.alerts.file)
    answer = _posted(plan, made, said)
    return _Seen(seen, said, made, answer, gauges.tokens_of(con, night), retention.held(con))


def _looked(plan: Plan, con: Connection, night: Night) -> tuple[Look, list[Said]]:
    """Look, and write down what is new and over: on the disk before anybody is told."""
    config = plan.config
    said = watch.said(con, plan.store)
    changed: list[Said] = []
    for day in sorted(set(plan.missed)):
        missed = look(con, Night(day, night.zone), said + changed, config)
        changed += saying.at_once(missed, plan.now)
    seen = look(con, night, said + changed, config)
    changed += saying.changes(seen, said + changed, plan.now)
    judged = silences(con, night, saying.silent_already(said + changed), config.volume)
    changed += saying.missing(judged, seen, said + changed, plan.now)
    for one in changed:
        watch.append(plan.store, one)
        plan.tell(one.kind, {"alarm": one.alarm, "route": one.route})
    return again(con, seen, said + changed, config), said + changed


def _posted(plan: Plan, made: Alerts, said: list[Said]) -> Answer | None:
    """Tell the receiver what it has not taken yet; muted alarms wait until they stand again."""
    hook = plan.config.webhook
    if hook.url is None:
        return None
    by_name = {one["alarm"]: one for one in made.loud}
    raisings, ends = untold(said)
    new = [by_name[one.alarm] for one in raisings if one.alarm in by_name]
    over = [one.alarm for one in ends if one.alarm]
    if not new and not over:
        return None
    shape = webhook.slack if hook.shape == "slack" else webhook.every_number
    answer = webhook.send(hook, shape(made, new, over))
    plan.tell("webhook", {"taken": answer.taken, "attempts": answer.attempts, "why": answer.why})
    if answer.taken:
        for one in new:
            watch.append(plan.store, told(plan.now, one["alarm"], "raised"))
        for name in over:
            watch.append(plan.store, told(plan.now, name, "over"))
    return answer


def _reported(plan: Plan, con: Connection, seen: _Seen) -> tuple[reports.Made, ...]:
    if plan.config.report.folder is None or seen.look.alarms is None:
        return ()
    from analyzer.report import Judging  # charts are not loaded for nothing

    made = []
    config = plan.config
    judging = Judging(
        seen.said, seen.look.night.today, config.drift_settings, config.effect_settings
    )
    newest = seen.look.alarms.week
    for one in reports.make(con, plan.config, newest, judging, plan.version):
        plan.tell("report", {"week": f"{one.week:%G-W%V}", "again": one.again})
        made.append(one)
    return tuple(made)


def _kept(plan: Plan, seen: _Seen) -> retention.Held:
    if not retention.apply(plan.store, seen.look.night, plan.config, seen.held):
        return seen.held
    with store.reader(plan.store) as con:
        after = retention.held(con)
    plan.tell("sealed", {"before": str(after.sealed_before)})
    return after
