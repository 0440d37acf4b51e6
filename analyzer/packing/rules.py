"""What a packer may put into a prompt, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rules:
    """Limits of a prompt; None switches one off. Raises ValueError for a negative one.

    budget_tokens is that of the whole prompt, overhead_tokens what of it is no chunk: system text,
    question, room for the answer where the model counts it.
    """

    k: int = 8
    budget_tokens: int | None = None
    overhead_tokens: int = 0
    per_document: int | None = None  # 2 or 3 are usual
    over_fetch: int = 3

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and value < 0:
                raise ValueError(f"{name} is {value}, but a limit is 0 or more")

    @property
    def candidates(self) -> int:
        """How many to ask of the retriever, so that what is filtered out can be replaced."""
        return self.k * self.over_fetch

    @property
    def room(self) -> int | None:
        """Tokens that the chunks may take together; None = any number."""
        if self.budget_tokens is None:
            return None
        return max(0, self.budget_tokens - self.overhead_tokens)
