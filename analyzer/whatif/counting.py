"""What a change is counted with: prices, speed, thresholds, how many requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzer.config import Config
from analyzer.stats.settings import EffectSettings
from analyzer.whatif.candidates import MOST_REQUESTS

TOKENS_PER_SECOND = 20_000.0  # assumed, where nobody says how fast a model reads


@dataclass(frozen=True)
class Counting:
    """Money where a model has a price, time by a speed, citations by the own curve or refused."""

    prices: Mapping[str, float] = field(default_factory=dict)  # of a million prompt tokens
    price: float | None = None  # of every other model
    tokens_per_second: float = TOKENS_PER_SECOND
    requests: int = MOST_REQUESTS  # of a route
    effect: EffectSettings = field(default_factory=EffectSettings)
    illustrative: bool = False  # tell the change by the illustrative curve too

    @staticmethod
    def of(config: Config, *, illustrative: bool = False) -> Counting:
        """As the settings in force say."""
        return Counting(
            prices=config.prices.models,
            price=config.prices.input,
            tokens_per_second=config.what_if.prefill_tokens_per_second,
            requests=config.what_if.requests,
            effect=config.effect_settings,
            illustrative=illustrative,
        )


def speed(tokens_per_second: float) -> str:
    """What milliseconds are told by, and how to have it otherwise."""
    return (
        f"Milliseconds are no measurement: they assume that a model reads {tokens_per_second:,.0f} "
        "prompt tokens a second, which prefill_tokens_per_second under [what_if] in citelog.toml "
        "changes."
    )
