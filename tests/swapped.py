"""Sets of swapped questions for tests, as the model of `model_servers` can answer them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from model_servers import secret

from analyzer.swap import sets
from analyzer.swap.planning import Wanted, plan
from analyzer.swap.questions import Piece, Question


def asked(number: int, fillers: int = 4, **fields: Any) -> Question:
    """Question q<number>, whose expected chunk tells its secret."""
    name = f"q{number}"
    around = [
        Piece(f"{name}-{n}", f"Text {n} about {name} and {n * 7}.", 50) for n in range(fillers)
    ]
    made: dict[str, Any] = {
        "question_id": name,
        "question": f"{name}?",
        "answers": (secret(name),),
        "expected": Piece(f"{name}-e", f"The secret of {name} is {secret(name)}.", 50),
        "fillers": tuple(around),
    }
    return Question(**(made | fields))


def planned_set(path: Path, questions: int, **wanted: Any) -> sets.Set:
    """A set of so many questions at start, middle and end of five chunks, written to `path`."""
    made = plan([asked(number) for number in range(questions)], Wanted(seed=1, **wanted))
    sets.write(path, sets.Head(seed=1, route="web"), made.planned)
    return sets.read(path)
