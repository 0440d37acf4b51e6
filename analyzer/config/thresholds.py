"""The thresholds of effects and drift as settings; their defaults are those of `stats`."""

from __future__ import annotations

from typing import Annotated

from analyzer.config.kinds import Count, Level, NotNegative, Section, Share, Whole, says
from analyzer.stats.settings import DriftSettings, EffectSettings


class Effect(Section, frozen=True):
    """When a position effect is a number, and when it is a refusal; tried together by simulation.
    A change holds for weeks that are estimated from then on; `citelog nightly --re-estimate` does
    all of them again."""

    level: Annotated[Level, says("Of every interval.")] = EffectSettings.level
    control_z: Annotated[NotNegative, says("The negative control fails above this |z| ...")] = (
        EffectSettings.control_z
    )
    control_effect: Annotated[NotNegative, says("... and above this |log risk ratio|, both.")] = (
        EffectSettings.control_effect
    )
    control_information: Annotated[
        Share, says("What it has to know, as a share of what the effect rests on.")
    ] = EffectSettings.control_information
    least_units: Annotated[
        Count, says("Distinct units that chose the ordering; no more than 40 are counted.", le=40)
    ] = EffectSettings.least_units
    largest_group: Annotated[
        Share, says("Share of the comparable chunks that one unit group may hold.")
    ] = EffectSettings.largest_group
    least_h: Annotated[NotNegative, says("Comparable chunks.")] = EffectSettings.least_h
    least_cited: Annotated[Whole, says("Cited chunks on either side of the overlap.")] = (
        EffectSettings.least_cited
    )
    weak_se: Annotated[NotNegative, says("A larger standard error of the log ratio is weak.")] = (
        EffectSettings.weak_se
    )
    weak_stratum: Annotated[
        Share, says("A larger share of the comparable chunks in one stratum is weak.")
    ] = EffectSettings.weak_stratum


class Drift(Section, frozen=True):
    """When a change of a weekly measure is an alarm; tried together by simulation."""

    least_requests: Annotated[Count, says("A week, to be tested or to be in a baseline.")] = (
        DriftSettings.least_requests
    )
    baseline_weeks: Annotated[Count, says("Of the baseline.")] = DriftSettings.baseline_weeks
    span: Annotated[Count, says("The baseline is looked for among so many weeks before.")] = (
        DriftSettings.span
    )
    least_baseline: Annotated[Count, says("Weeks that a baseline must have.")] = (
        DriftSettings.least_baseline
    )
    least_events: Annotated[NotNegative, says("Expected events of a rate.")] = (
        DriftSettings.least_events
    )
    false_discovery_rate: Annotated[Level, says("Over all routes and measures of a week.")] = (
        DriftSettings.false_discovery_rate
    )
    prior_df: Annotated[
        Count, says("Weight of the spread pooled over routes against a route's own.")
    ] = DriftSettings.prior_df
    pool_requests: Annotated[
        Count, says("Routes as large as this make up that pool, if there are any.")
    ] = DriftSettings.pool_requests
    least_pool_weeks: Annotated[
        Count, says("Baseline weeks of a route in the pool of the window test.")
    ] = DriftSettings.least_pool_weeks
    least_spread: Annotated[
        NotNegative, says("Of the minimum effect; the spread between weeks is never less.")
    ] = DriftSettings.least_spread
    at_once: Annotated[
        NotNegative, says("Standard errors beyond the minimum effect that alarm at once.")
    ] = DriftSettings.at_once
    recent: Annotated[Count, says("Of so many weeks ...")] = DriftSettings.recent
    candidates: Annotated[Count, says("... so many candidates of one sign alarm.")] = (
        DriftSettings.candidates
    )
    quiet_weeks: Annotated[Count, says("Clear an alarm.")] = DriftSettings.quiet_weeks
    quiet_effect: Annotated[
        NotNegative, says("Of the minimum effect; less, or less than a standard error, is quiet.")
    ] = DriftSettings.quiet_effect
    new_level_weeks: Annotated[
        Count, says("An alarm that lasts so long has become the new level.")
    ] = DriftSettings.new_level_weeks
    windows: Annotated[
        tuple[Count, ...],
        says("Weeks of the windows that are tested.", title="a list of whole numbers"),
    ] = DriftSettings.windows
    persistence: Annotated[Share, says("Assumed correlation of neighbouring weeks.")] = (
        DriftSettings.persistence
    )
    spread_bias: Annotated[
        NotNegative, says("Undoes the downward bias of the spread in 13 such weeks.")
    ] = DriftSettings.spread_bias
    jackknife_df: Annotated[Count, says("Unit groups - 1.")] = DriftSettings.jackknife_df
    window_level: Annotated[
        Level, says("Chance of a false window alarm a week, shared by all tests.")
    ] = DriftSettings.window_level
    start_reach: Annotated[
        Count, says("Weeks among which the start of a change is looked for.")
    ] = DriftSettings.start_reach
    start_range: Annotated[
        NotNegative, says("Drop of the likelihood statistic that bounds the range of the start.")
    ] = DriftSettings.start_range
    all_routes_effect: Annotated[
        NotNegative, says("Minimum effect of the dip over all routes.")
    ] = DriftSettings.all_routes_effect
    ordering_effect: Annotated[
        NotNegative, says("Minimum effect of the share of each ordering.")
    ] = DriftSettings.ordering_effect
    ordering_requests: Annotated[
        Count, says("Requests a week that show their ordering, for its switch to be tested.")
    ] = DriftSettings.ordering_requests
    level: Annotated[Level, says("Of every interval.")] = DriftSettings.level
