"""The fields that a proposed mapping looks for: what they are called, and what they look like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from analyzer.sources.mapping import evidence

Fits = Callable[[Any], bool]


class Field(NamedTuple):
    """Names that a field goes by, what its values must be, and what they look like unnamed."""

    names: str
    fits: Fits
    looks: Fits | None = None
    why: str = ""


CHUNK = {
    "chunk_id": Field(
        "chunk_id chunkid id id_ docid passage_id node_id pid _id uid key", evidence.is_name
    ),
    "doc_id": Field(
        "doc_id document_id source url uri title file filename file_name path src document "
        "parent_id",
        evidence.is_label,
    ),
    "rank": Field("rank retrieval_rank", evidence.is_whole),
    "position": Field("position prompt_position place slot", evidence.is_whole),
    "score": Field(
        "score similarity retrieval_score relevance sim",
        evidence.is_number,
        lambda value: isinstance(value, float),
        "holds numbers with a point",
    ),
    "rerank_score": Field("rerank_score reranker_score relevance_score", evidence.is_number),
    "tokens": Field("tokens n_tokens num_tokens token_count", evidence.is_whole),
    "text": Field(
        "text content page_content passage chunk_text body snippet segment contents",
        lambda value: isinstance(value, str),
        evidence.is_text,
        "holds texts",
    ),
    "cited": Field("cited is_cited referenced used", lambda value: isinstance(value, bool)),
}
REQUEST = {
    "request_id": Field(
        "request_id requestid id query_id trace_id qid question_id uuid call_id", evidence.is_name
    ),
    "requested_at": Field(
        "requested_at timestamp @timestamp ts time created_at created date at when start_time",
        evidence.is_time,
        evidence.is_time,
        "holds times",
    ),
    "route": Field(
        "route pipeline endpoint service app handler workflow feature chain", evidence.is_label
    ),
    "model": Field(
        "model model_name model_id llm engine deployment",
        evidence.is_label,
        evidence.is_model,
        "holds names of models",
    ),
    "release": Field("release version app_version build", evidence.is_label),
    "unit_id": Field(
        "unit_id user_id session_id conversation_id tenant user session", evidence.is_name
    ),
    "prompt_tokens": Field("prompt_tokens input_tokens", evidence.is_whole),
    "answer_tokens": Field("answer_tokens completion_tokens output_tokens", evidence.is_whole),
    "answer": Field(
        "answer output response completion generation result reply",
        lambda value: isinstance(value, str),
        evidence.cites,
        "holds markers as [1]",
    ),
    "correct": Field("correct is_correct", lambda value: isinstance(value, bool)),
}
CITED = ("citations", "cited", "references", "referenced")
FAN_OUT = "results answers outputs responses models"
