"""The teaching lab as `teaching_lab.toml` fixes it: how often answers are right by ordering.

Run as a program it says what comes of the forty labs and of the neighbouring choices of scores.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from analyzer.simulate import Model
from analyzer.simulate.arrays import Floats, Ints
from analyzer.simulate.cite import depth_of, theta
from analyzer.simulate.orderings import ranks_in_order

DECLARED: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())


@dataclass(frozen=True)
class Accuracies:
    """Shares of right answers."""

    source: float
    best: float
    edges: float

    @property
    def steps(self) -> tuple[float, float]:
        """Points by which edges first stands above best first, and best first above source."""
        return 100 * (self.edges - self.best), 100 * (self.best - self.source)


@dataclass(frozen=True)
class Lab:
    """What the file says under `lab`; scores are (mean, standard deviation)."""

    questions: int
    chunks: int
    tokens: float
    hard_negatives: int
    edge: float
    penalty: float
    answer: tuple[float, float]
    hard: tuple[float, float]
    weak: tuple[float, float]

    def accuracies(self, seed: int) -> Accuracies:
        """What comes of one lab."""
        ranks = self.answer_ranks(np.random.default_rng([seed, 0]))
        anywhere = np.random.default_rng([seed, 1]).integers(1, self.chunks + 1, self.questions)
        return Accuracies(
            source=self.accuracy(anywhere),
            best=self.accuracy(self.laid(ranks, "best_first")),
            edges=self.accuracy(self.laid(ranks, "edges_first")),
        )

    def answer_ranks(self, rng: np.random.Generator) -> Ints:
        """The rank of the answer's chunk of each question."""
        answer = rng.normal(*self.answer, (self.questions, 1))
        hard = rng.normal(*self.hard, (self.questions, self.hard_negatives))
        others = self.chunks - 1 - self.hard_negatives
        weak = rng.normal(*self.weak, (self.questions, others))
        better = np.concatenate([hard, weak], axis=1) > answer
        return np.asarray(better.sum(axis=1) + 1, np.int64)

    def laid(self, ranks: Ints, ordering: str) -> Ints:
        """The positions of these ranks."""
        place = {rank: at for at, rank in enumerate(ranks_in_order(ordering, self.chunks), 1)}
        return np.array([place[rank] for rank in ranks.tolist()])

    def accuracy(self, position: Ints) -> float:
        """The expected share of right answers."""
        return float(self.read(position).mean()) - self.penalty * self.hard_negatives

    def read(self, position: Ints, dip: float = 1.0) -> Floats:
        """edge - dip loss(T) bump(x) of answers at these positions."""
        depth = depth_of(position[:, None], np.full(len(position), self.chunks))
        tokens = np.full((len(position), 1), self.tokens)
        return theta(Model(edge=self.edge, dip=dip), depth, tokens)


@cache
def declared() -> Lab:
    """The lab of the file."""
    said = DECLARED["lab"]
    return msgspec.convert(said | said["scores"], Lab)


def seeds(labs: int) -> range:
    """Of the first so many labs."""
    first = DECLARED["replication"]["first"]
    return range(first, first + labs)


def together(lab: Lab, labs: int) -> tuple[Accuracies, list[Accuracies]]:
    """The means over labs, and each of them."""
    found = [lab.accuracies(seed) for seed in seeds(labs)]
    means = (float(np.mean([getattr(one, name) for one in found])) for name in _NAMES)
    return Accuracies(*means), found


def holds(steps: Sequence[float]) -> bool:
    """Whether the criterion does."""
    wanted = DECLARED["criterion"]
    promised = (wanted["edges_first_above_best_first"], wanted["best_first_above_source_order"])
    return all(
        abs(step - want) <= wanted["within"] for step, want in zip(steps, promised, strict=True)
    )


def neighbours() -> Iterator[Lab]:
    """Every other choice of scores that the file names."""
    said, lab = DECLARED["neighbours"], declared()
    names = ("answer_mean", "answer_sd", "hard_sd", "weak_mean")
    for mean, sd, hard_sd, weak_mean in product(*(said[name] for name in names)):
        yield replace(
            lab, answer=(mean, sd), hard=(lab.hard[0], hard_sd), weak=(weak_mean, lab.weak[1])
        )


def main() -> None:
    """Print what is to be written beside the declaration."""
    means, each = together(declared(), DECLARED["replication"]["labs"])
    steps = np.array([one.steps for one in each])
    print("right, %:", *(f"{100 * getattr(means, name):.2f}" for name in _NAMES))
    print("points:", *(f"{step:.2f}" for step in means.steps), "criterion:", holds(means.steps))
    print("standard deviation over labs:", *(f"{sd:.2f}" for sd in steps.std(axis=0, ddof=1)))
    print("labs that hold it alone:", sum(map(holds, steps.tolist())), "of", len(each))
    around = [together(lab, DECLARED["neighbours"]["labs"])[0].steps for lab in neighbours()]
    print("neighbours in that order:", sum(min(one) > 0 for one in around), "of", len(around))
    print("neighbours that hold it:", sum(map(holds, around)), "of", len(around))
    for name, several in zip(("edges - best", "best - source"), np.transpose(around), strict=True):
        print(f"  {name}: {several.min():.2f} to {several.max():.2f}")


_NAMES = ("source", "best", "edges")

if __name__ == "__main__":
    main()
