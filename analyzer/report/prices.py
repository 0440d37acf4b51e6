"""What prompt tokens cost, where that was said, and what to do where it was not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from analyzer import names

MILLION = 1_000_000


class Prices(Protocol):
    """A million prompt tokens of each model, in any one currency."""

    @property
    def input(self) -> float | None:
        """Of every model that `models` does not name."""

    @property
    def models(self) -> Mapping[str, float]:
        """By model."""


@dataclass(frozen=True)
class Given:
    """Prices as plain values; none by default."""

    input: float | None = None
    models: Mapping[str, float] = field(default_factory=dict)


def price_of(prices: Prices, model: str) -> float | None:
    return prices.models.get(model, prices.input)


def told(prices: Prices, models: Collection[str]) -> str:
    """The prices of these models in a sentence, or how to give those that are missing."""
    of_each = {model: price_of(prices, model) for model in sorted(models)}
    unpriced = [names.shown(model) for model, price in of_each.items() if price is None]
    if len(unpriced) == len(of_each):
        return (
            "No price is set, so tokens are told and no money. What a million prompt tokens cost "
            "goes into citelog.toml as input = 2.5 under [prices], or into the environment as "
            "CITELOG_PRICES_INPUT=2.5."
        )
    if unpriced:
        return (
            f"No price is set for {', '.join(unpriced)}; routes with requests of such a model show "
            "tokens and no money. Prices by model go into citelog.toml, under [prices.models]."
        )
    return f"Prices of a million prompt tokens: {_listed(of_each)}."


def _listed(of_each: Mapping[str, float | None]) -> str:
    amounts = {model: _amount(price or 0.0) for model, price in of_each.items()}
    if len(set(amounts.values())) == 1:
        return next(iter(amounts.values()))
    return ", ".join(f"{names.shown(model)} {amount}" for model, amount in amounts.items())


def _amount(price: float) -> str:
    """As it was given: 2.5, 0.075, 2,000."""
    return f"{price:,.6f}".rstrip("0").rstrip(".")
