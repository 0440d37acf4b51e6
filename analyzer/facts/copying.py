"""Near-copies among the packed chunks of each request (placeholder while copies.py is written)."""
from __future__ import annotations
from collections.abc import Sequence
from dataclasses import dataclass
import numpy as np, pyarrow as pa
from analyzer.facts.columns import Block, masked
from analyzer.facts.placing import Placed
from analyzer.record import Request
@dataclass(frozen=True)
class Copied:
    n: int
    m: int
    texts: pa.Table
    def request_columns(self, block, placed):
        nn=lambda t: pa.nulls(self.n,t)
        return {k: nn(pa.int32()) for k in ("compared","involved","redundant","redundant_exact")}|{"redundant_tokens":nn(pa.int64()),"missing_text":pa.array([0]*self.n,pa.int32())}
    def chunk_columns(self):
        return {k: pa.nulls(self.m,pa.int32()) for k in ("copies","copy_of","exact_copy_of")}|{"fingerprint":pa.nulls(self.m,pa.int64())}
def find(records,block,placed):
    return Copied(block.size,len(block.owner),pa.table({"fingerprint":pa.array([],pa.int64()),"text_hash":pa.array([],pa.int64()),"s0":pa.array([],pa.int64()),"s1":pa.array([],pa.int64())}))
