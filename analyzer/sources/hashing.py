"""A name for what has none: a hash of its content, so that the same call has the same name."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec


def content_name(value: Any) -> str:
    """First 16 hex digits of the SHA-256 of a value as JSON."""
    return sha256(msgspec.json.encode(value)).hexdigest()[:16]
