"""Counting tokens as the model does: any function from a text to a number will do, this is one."""

from __future__ import annotations

from collections.abc import Callable

from analyzer.errors import CitelogError


def tiktoken_counter(encoding: str = "o200k_base") -> Callable[[str], int]:
    """A counter by tiktoken, which the extra `citelog[tiktoken]` installs.

    tiktoken fetches an encoding from the network when it is used for the first time. Special
    tokens that stand in a text are counted as the plain text that they are.
    """
    try:
        import tiktoken
    except ImportError:
        raise CitelogError(
            "tiktoken is not installed; install citelog[tiktoken], or count with a tokenizer of "
            "your own"
        ) from None
    encode = tiktoken.get_encoding(encoding).encode_ordinary
    return lambda text: len(encode(text))
