"""How many tokens a text has: counted by the tokenizer of the model, else estimated.

A tokenizer is named as tiktoken names its encodings and models (`o200k_base`, `gpt-4o`), or by the
path of a `tokenizer.json`. Both are extras: `pip install tiktoken`, `pip install tokenizers`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from analyzer.errors import CitelogError, UsageError

BYTES_A_TOKEN = 4


def estimated(text: str) -> int:
    """A quarter of the UTF-8 bytes, rounded up: near what byte-pair encodings make of English."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)


def counter(name: str) -> Callable[[str], int]:
    """What counts tokens as the named tokenizer does; raises UsageError where there is none."""
    if name.endswith(".json"):
        return _from_file(name)
    tiktoken = _extra("tiktoken", name)
    try:
        encoding = (
            tiktoken.get_encoding(name)
            if name in tiktoken.list_encoding_names()
            else tiktoken.encoding_for_model(name)
        )
    except (KeyError, ValueError):
        known = ", ".join(tiktoken.list_encoding_names())
        raise UsageError(
            f"no tokenizer is named {name!r}; tiktoken has {known}, and a path to a tokenizer.json "
            "is taken too"
        ) from None
    except OSError as error:
        raise CitelogError(f"{name}: the tokenizer could not be fetched ({error})") from error
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def _from_file(path: str) -> Callable[[str], int]:
    tokenizers = _extra("tokenizers", path)
    try:
        tokenizer = tokenizers.Tokenizer.from_file(path)
    except Exception as error:  # the library raises nothing narrower
        raise UsageError(f"{path}: no tokenizer could be read there ({error})") from error
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _extra(package: str, name: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        raise UsageError(
            f"tokenizer {name!r} needs {package}; pip install {package} brings it"
        ) from None
