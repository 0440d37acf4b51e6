"""Encryption of what is kept aside, by the library `cryptography`: Fernet, with a key of 32 bytes.

The key comes from the environment or from a file that its owner alone can read. Without one,
nothing is encrypted and nothing is read.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import CitelogError, UsageError

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

_OWNER_ALONE = stat.S_IRWXG | stat.S_IRWXO
_HOW = "openssl rand -base64 32 makes one"


class Secrecy:
    """Seals and opens bytes; without a key it opens nothing."""

    def __init__(self, fernet: Fernet | None) -> None:
        self._fernet = fernet

    @classmethod
    def of(cls, key: str | None, key_file: Path | None, needed: bool) -> Secrecy:
        """With the key that is given or stands in a file.

        Raises UsageError where none is given though it is needed, and for what is no key.
        """
        if key is None and key_file is not None:
            key = _in_file(key_file)
        if key is None and needed:
            raise UsageError(
                'incomplete_traces is "encrypt", and no key is given; set '
                f"CITELOG_INPUTS_INCOMPLETE_KEY or inputs.incomplete_key_file ({_HOW})"
            )
        return cls(None if key is None else _fernet(key))

    def seal(self, plain: bytes) -> str:
        """Encrypted bytes, as text."""
        assert self._fernet is not None, "a key is asked for before anything is sealed"
        return self._fernet.encrypt(plain).decode()

    def opened(self, sealed: str) -> bytes | None:
        """What was encrypted; None where this key does not open it."""
        if self._fernet is None:
            return None
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(sealed)
        except InvalidToken:
            return None


def _fernet(key: str) -> Fernet:
    try:
        from cryptography.fernet import Fernet
    except ImportError:
        raise UsageError(
            "a key of incomplete traces needs cryptography; pip install cryptography brings it"
        ) from None
    try:
        return Fernet(key.strip().replace("+", "-").replace("/", "_"))
    except ValueError:
        raise UsageError(
            f"the key of incomplete traces is not 32 bytes in base64; {_HOW}"
        ) from None


def _in_file(file: Path) -> str:
    try:
        with file.open(encoding="ascii") as opened:
            if os.fstat(opened.fileno()).st_mode & _OWNER_ALONE:
                raise CitelogError(f"{file}: others can read this key; chmod 600 {file} keeps it")
            return opened.read()
    except OSError as error:
        raise CitelogError(f"{file}: the key cannot be read ({error.strerror})") from error
    except UnicodeDecodeError:
        raise UsageError(f"{file}: is not a key of 32 bytes in base64; {_HOW}") from None
