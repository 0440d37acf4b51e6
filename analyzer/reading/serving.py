"""What another reading process does: pieces come in, blocks go out, until nothing more comes in.

It is started by `analyzer.reading.processes` and ends when that process does, however it ends.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
from contextlib import suppress
from typing import BinaryIO

from analyzer.reading import READY
from analyzer.reading.pieces import read


def serve(asked: BinaryIO, told: BinaryIO) -> None:
    """Answer each piece with its block."""
    # Who asked may be killed in the middle of a question, or before it takes the answer.
    with suppress(EOFError, pickle.UnpicklingError, BrokenPipeError):
        told.write(READY)
        told.flush()
        while True:
            piece, terms = pickle.load(asked)
            pickle.dump(read(piece, terms), told, protocol=5)
            told.flush()


if __name__ == "__main__":
    gc.disable()  # records hold no cycles
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing but blocks may get between them
    serve(sys.stdin.buffer, answers)
