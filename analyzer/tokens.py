"""How many tokens a text has: counted by the tokenizer of the model, else estimated.

A tokenizer is named as tiktoken or bpe-openai name their encodings and models (`o200k_base`, also
`o200k`, `gpt-4o`, `voyage3`), or by the path of a `tokenizer.json`. All are extras. tiktoken
fetches its tables when they are first used, bpe-openai brings them (42 MB), and Voyage's.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from analyzer.errors import CitelogError, UsageError

BYTES_A_TOKEN = 4
_LIBRARIES = ("tiktoken", "bpe_openai")


def estimated(text: str) -> int:
    """A quarter of the UTF-8 bytes, rounded up: near what byte-pair encodings make of English."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)


def counter(name: str) -> Callable[[str], int]:
    """What counts tokens as the named tokenizer does; raises UsageError where there is none.

    Of two libraries that know a name the first counts: they give the same tokens.
    """
    if name.endswith(".json"):
        return _from_file(name)
    libraries = [found for each in _LIBRARIES if (found := _installed(each)) is not None]
    unfetched: OSError | None = None
    for library in libraries:
        try:
            encoding = _encoding(library, name)
        except OSError as error:
            unfetched = error
            continue
        if encoding is not None:
            return lambda text: len(encoding.encode(text, disallowed_special=()))
    if unfetched is not None:
        raise CitelogError(f"{name}: the tokenizer could not be fetched ({unfetched})")
    raise _unknown(name, libraries)


def _encoding(library: Any, name: str) -> Any:
    """An encoding by its name, which may lack its end, or by the name of a model."""
    names = library.list_encoding_names()
    for known in (name, f"{name}_base"):
        if known in names:
            return library.get_encoding(known)
    try:
        return library.encoding_for_model(name)
    except (KeyError, ValueError):
        return None


def _unknown(name: str, libraries: list[Any]) -> UsageError:
    package = "bpe-openai" if name.startswith("voyage") else "tiktoken"
    if all(each.__name__ != package.replace("-", "_") for each in libraries):
        return UsageError(f"tokenizer {name!r} needs {package}; pip install {package} brings it")
    known = (f"{each.__name__} has {', '.join(each.list_encoding_names())}" for each in libraries)
    return UsageError(
        f"no tokenizer is named {name!r}; {'; '.join(known)}, and a path to a tokenizer.json is "
        "taken too"
    )


def _from_file(path: str) -> Callable[[str], int]:
    tokenizers = _installed("tokenizers")
    if tokenizers is None:
        raise UsageError(f"tokenizer {path!r} needs tokenizers; pip install tokenizers brings it")
    try:
        tokenizer = tokenizers.Tokenizer.from_file(path)
    except Exception as error:  # the library raises nothing narrower
        raise UsageError(f"{path}: no tokenizer could be read there ({error})") from error
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _installed(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        return None
