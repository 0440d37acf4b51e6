"""Everything of a record that stands before its chunks."""

from __future__ import annotations

import json

import numpy as np

from analyzer.simulate.arrays import Ints
from analyzer.simulate.asking import OUTCOMES
from analyzer.simulate.generate import Traffic
from analyzer.simulate.logged import Logged, instants, request_ids


def heads(traffic: Traffic, logged: Logged) -> list[str]:
    """By request: its line up to the list of chunks."""
    asked, route = traffic.asked, traffic.route
    names = ("route", "model", "release", "prompt_version", "index_version")
    same = "".join(_field(name, str(getattr(route, "name" if name == "route" else name)))
                   for name in names)  # fmt: skip
    budget = route.packer.budget_tokens
    fixed = f',"budget_tokens":{budget}' if budget else ""
    return [
        f'{{"request_id":{as_json(name)},"requested_at":"{at}"{same}{unit}{ordering}{outcome}'
        f',"question_tokens":{question}{prompt},"answer_tokens":{answer}{fixed},"chunks":['
        for name, at, unit, ordering, outcome, question, prompt, answer in zip(
            request_ids(traffic),
            instants(traffic.requested_ms),
            _units(traffic, logged),
            _orderings(traffic),
            _picked(["", *(_field("outcome", each) for each in OUTCOMES[1:])], asked.outcome),
            asked.question_tokens.tolist(),
            _prompt_tokens(traffic, logged),
            asked.answer_tokens.tolist(),
            strict=True,
        )
    ]


def _units(traffic: Traffic, logged: Logged) -> list[str]:
    name = traffic.route.name
    gone = logged.faulty & ("unit_id" in traffic.route.logging.missing)
    units = zip(traffic.asked.unit.tolist(), gone.tolist(), strict=True)
    return ["" if absent else _field("unit_id", f"{name}-u{unit:05d}") for unit, absent in units]


def _orderings(traffic: Traffic) -> list[str]:
    declared = [
        _field("ordering", name) if traffic.route.declares_ordering else ""
        for name in traffic.orderings
    ]
    both = [*declared, *(text + ',"explored":true' for text in declared)]
    return _picked(both, traffic.asked.ordering + len(declared) * traffic.asked.explored)


def _prompt_tokens(traffic: Traffic, logged: Logged) -> list[str]:
    gone = logged.faulty & ("prompt_tokens" in traffic.route.logging.missing)
    values = zip(traffic.prompt_tokens.tolist(), gone.tolist(), strict=True)
    return ["" if absent else f',"prompt_tokens":{value}' for value, absent in values]


def _picked(texts: list[str], which: Ints) -> list[str]:
    picked: list[str] = np.array(texts, dtype=object)[which].tolist()
    return picked


def _field(name: str, value: str) -> str:
    return f',"{name}":{as_json(value)}'


def as_json(value: object) -> str:
    """Compact JSON, ASCII only."""
    return json.dumps(value, separators=(",", ":"))
