"""Every threshold that decides a verdict or an alarm, with the default that was tried.

The defaults were chosen together, by simulation with known truth; changing one changes the rate
of false alarms or the coverage of an interval, so a change wants the same kind of evidence.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """A measure that is watched for drift."""

    name: str
    minimum_effect: float  # a smaller change is never reported; in the measure's own unit
    rate: bool = True  # a share 0 to 1, tested only with enough expected events
    tests: int = 1  # how many measures say the same thing; its p is multiplied by that
    family: str = ""  # chance is shared out among the tests of one family


DIP = "dip"  # its value is log(cited rate in the middle / at the edge), adjusted for rank

MEASURES: tuple[Measure, ...] = (
    Measure("position_start", 0.03, tests=3),
    Measure("position_middle", 0.03, tests=3),
    Measure("position_end", 0.03, tests=3),
    Measure("mean_log2_cited_rank", 0.10, rate=False),
    Measure("involved_rate", 0.01),
    Measure("ln_p95_context_tokens", 0.10, rate=False),
    Measure("citation_free_rate", 0.02),
    Measure(DIP, 0.05, rate=False),
    Measure("accuracy", 0.05),
    Measure("largest_document_share", 0.05),
    Measure("stray_rate", 0.01),
)
# Of every missing_*_rate. Rejected lines are watched by the night alone, file by file: a line that
# could not be read has no route, no day and no unit, so there is nothing to estimate an error from.
MISSING_FIELD_EFFECT = 0.05
# Shares of requests by ordering, ordering_*. What orders prompts is switched, it does not wander:
# a family of its own, so that these many tests take nothing from those of the other measures.
ORDERING = "ordering"

LEAST_OF_A_RATE = 50  # of fewer it is said how many there are, and no rate

EXPLORED = "explored"  # drawn by chance, on purpose, and logged so


@dataclass(frozen=True)
class EffectSettings:
    """When a position effect is a number, and when it is a refusal."""

    groups: int = 20  # unit groups of the jackknife
    level: float = 0.95  # of every interval
    says: str = "a chunk is cited"  # what the sentences count ...
    few: str = "were cited"  # ... and its plural
    # Orderings whose positions follow from the packed rank alone, or from chance.
    counted: tuple[str, ...] = (
        "best_first",
        "best_last",
        "edges_first",
        "edges_first_reversed",
        "middle_first",  # edges first, given its input worst first
        "middle_first_reversed",
        EXPLORED,
    )
    # Recognised as nothing, or as two at once: they neither count nor speak of content.
    silent: tuple[str, ...] = ("short", "unranked", "ambiguous")
    control_z: float = 2.58  # the negative control fails above this |z| ...
    control_effect: float = 0.05  # ... and above this |log risk ratio|, both
    # Orderings chosen by rules need a control that knows as much as this share of what the effect
    # rests on: .4 to .8 where they share positions of good ranks, .02 to .18 where they do not.
    control_information: float = 0.25
    least_units: int = 40  # distinct units that chose the ordering
    largest_group: float = 0.20  # share of H that one unit group may hold
    least_h: float = 50.0  # comparable chunks
    least_cited: int = 10  # cited chunks on either side of the overlap
    weak_se: float = 0.10  # of log RR
    weak_stratum: float = 0.50  # share of H in one stratum


@dataclass(frozen=True)
class DriftSettings:
    """When a change of a weekly measure is an alarm."""

    least_requests: int = 500  # a week, to be tested or to be in a baseline
    baseline_weeks: int = 13
    span: int = 16  # the baseline is looked for among so many weeks before
    least_baseline: int = 6
    least_events: float = 10.0  # expected events of a rate
    false_discovery_rate: float = 0.10
    prior_df: int = 8  # weight of the spread pooled over routes against a route's own
    pool_requests: int = 5000  # routes as large as this make up that pool, if there are any
    least_pool_weeks: int = 4  # baseline weeks of a route in the pool of the window test
    least_spread: float = 0.1  # of the minimum effect; the spread between weeks is never less
    at_once: float = 3.5  # standard errors beyond the minimum effect that alarm at once
    recent: int = 3  # of so many weeks ...
    candidates: int = 2  # ... so many candidates of one sign alarm
    quiet_weeks: int = 2  # clear an alarm
    quiet_effect: float = 0.5  # of the minimum effect, or less than a standard error, is quiet
    new_level_weeks: int = 6  # an alarm that lasts so long has become the new level
    windows: tuple[int, ...] = (2, 3, 4, 6)  # weeks
    persistence: float = 0.8  # assumed correlation of neighbouring weeks (AR(1))
    spread_bias: float = 1.75  # undoes the downward bias of the spread in 13 such weeks
    jackknife_df: int = 19
    window_level: float = 0.005  # chance of a false window alarm a week, shared by all tests
    start_reach: int = 8  # weeks among which the start of a change is looked for
    start_range: float = 3.84  # drop of Z that bounds the range of the start
    all_routes_effect: float = 0.03  # minimum effect of the dip's row over all routes
    ordering_effect: float = 0.20  # minimum effect of the share of each ordering
    ordering_requests: int = 100  # that show their ordering: a switch moves nearly all of them
    level: float = 0.95  # of every interval
    measures: tuple[Measure, ...] = MEASURES

    def measure(self, name: str) -> Measure:
        """The measure of that name; any missing_*_rate is one, any ordering_* too.

        KeyError: it is not watched.
        """
        named = {measure.name: measure for measure in self.measures}
        if name.startswith("missing_") and name not in named:
            return Measure(name, MISSING_FIELD_EFFECT)
        if of_ordering(name):
            return Measure(name, self.ordering_effect, tests=3, family=ORDERING)
        return named[name]

    def least(self, name: str) -> int:
        """How many requests a week of that measure must rest on."""
        few = min(self.ordering_requests, self.least_requests)
        return few if of_ordering(name) else self.least_requests


def of_ordering(measure: str) -> bool:
    """Whether a measure is the share of an ordering."""
    return measure.startswith(f"{ORDERING}_")
