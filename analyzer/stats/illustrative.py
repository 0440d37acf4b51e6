"""The illustrative curve of how prompts are read: calculated, not measured, and labelled so.

theta(x) = edge - loss(T) bump(x), x the depth in the prompt, T its tokens. Synthetic traffic is
read by it, and what-if takes it, on request, where traffic gives no curve of its own.
"""

from __future__ import annotations

import numpy as np

from analyzer.stats.arrays import Floats

EDGE = 0.90


def bump(depth: Floats) -> Floats:
    """1 - |2x - 1|^1.6: 0 at the edges of the prompt, 1 in its middle; its mean is .6154."""
    return np.asarray(1.0 - np.abs(2.0 * depth - 1.0) ** 1.6, dtype=np.float64)


def loss(prompt_tokens: Floats) -> Floats:
    """0.40 clamp(log2(T / 1500) / 4, 0, 1) for prompts of T tokens."""
    doublings = np.log2(np.maximum(prompt_tokens, 1.0) / 1500.0)
    return np.asarray(0.40 * np.clip(doublings / 4.0, 0.0, 1.0), dtype=np.float64)


def read(depth: Floats, prompt_tokens: Floats) -> Floats:
    """How well a place is read, 0.5 to 0.9."""
    return np.asarray(EDGE - loss(prompt_tokens) * bump(depth), dtype=np.float64)
