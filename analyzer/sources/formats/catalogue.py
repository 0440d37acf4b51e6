"""Every format that can be read: how it is known, what reads it, what it gives and lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from analyzer.sources.documents import Input
from analyzer.sources.formats import (
    anthropic,
    azure,
    bedrock,
    cohere,
    gemini,
    langfuse,
    langsmith,
    openai,
    phoenix,
    signs,
    traces,
    trec,
)
from analyzer.sources.formats.joining import Notes
from analyzer.sources.records import Record

Reader = Callable[[Input, Notes], Iterator[Record]]


class Known(NamedTuple):
    """A format. `forms` are the files it comes in; `refused` says why one cannot be a log."""

    name: str
    title: str
    forms: str
    gives: str
    lacks: str
    sign: Callable[[Any], bool]
    read: Reader | None = None
    refused: str | None = None
    columns: Callable[[Sequence[str]], list[str]] | None = None


FORMATS = (
    Known(
        "openinference",
        "OpenInference spans, Arize Phoenix",
        "OTLP JSON lines; Phoenix spans from its API (both forms) or its data frame as Parquet, "
        "JSON lines or CSV",
        "rank (derived), rerank score, position (found in the prompt), text, prompt tokens, "
        "citations (markers)",
        "tokens of a chunk; which chunk was cited, unless the answer has markers",
        signs.openinference,
        traces.read_traces,
        columns=phoenix.columns,
    ),
    Known(
        "traceloop",
        "OpenLLMetry, Traceloop",
        "OTLP JSON lines; results of vector databases are taken from their events",
        "rank (derived), position (found in the prompt), text, prompt tokens, citations (markers)",
        "chunk ids and scores, unless they are in the metadata; tokens of a chunk",
        signs.traceloop,
        traces.read_traces,
    ),
    Known(
        "otel_genai",
        "OpenTelemetry GenAI conventions",
        "OTLP JSON lines",
        "rank (derived), score, chunk id; prompt tokens and answer where the model is traced too",
        "text, so near-copies and where a chunk stood in the prompt: position is assumed",
        signs.spans,
        traces.read_traces,
    ),
    Known(
        "phoenix_annotations",
        "Phoenix annotations",
        "JSON lines, Parquet or CSV of the data frame; the answer of the API",
        "correct, of labels about right and wrong, joined by span",
        "the trace: it is looked up in the spans that are named in the same ingest",
        signs.phoenix_annotations,
        phoenix.read_annotations,
    ),
    Known(
        "langsmith",
        "LangSmith runs",
        "JSON lines, one JSON document, Parquet of the bulk export",
        "rank (derived), position (found in the prompt), text, prompt tokens, citations (markers)",
        "scores unless they are in the metadata; tokens of a chunk",
        signs.langsmith,
        langsmith.read_runs,
    ),
    Known(
        "langsmith_feedback",
        "LangSmith feedback",
        "JSON lines, Parquet or CSV",
        "correct, of keys about right and wrong, by trace_id",
        "everything else; feedback on a child run without a trace_id finds no request",
        signs.langsmith_feedback,
        langsmith.read_feedback,
    ),
    Known(
        "langfuse",
        "Langfuse exports and traces",
        "JSON lines, CSV or Parquet of observations, traces and scores; a downloaded trace",
        "what the application logged as the retriever's output; prompt tokens, citations "
        "(markers); correct, of scores about right and wrong",
        "ranks and scores unless logged; a retrieval that is no RETRIEVER and not called one",
        signs.langfuse,
        langfuse.read_observations,
    ),
    Known(
        "anthropic",
        "Anthropic Messages with citations",
        "JSON of request and response, JSON lines, event streams",
        "position (order in the request), cited, text, prompt tokens",
        "rank, time, chunk ids; without the request everything that was not cited",
        signs.anthropic,
        anthropic.read_messages,
    ),
    Known(
        "cohere",
        "Cohere Chat v2",
        "JSON of request and response, JSON lines, event streams; a rerank call is joined to the "
        "chat after it",
        "position (order in the request), chunk id, cited, text, prompt tokens; rank and rerank "
        "score where the rerank call is in the same file",
        "rank without a rerank call, time; without the request everything that was not cited",
        signs.cohere,
        cohere.read_chats,
    ),
    Known(
        "trec_rag",
        "TREC RAG (Ragnarök), RAGTIME",
        "JSON lines of runs, and of candidates as they are retrieved and reranked",
        "which references the answer cites; rank (derived), score, text where the candidates are "
        "loaded with the run",
        "uncited passages and the order of the prompt: no cited rate, no position measure; time; "
        "without the candidates rank and text",
        signs.trec_rag,
        trec.read_runs,
    ),
    Known(
        "bedrock",
        "AWS Bedrock knowledge bases and Converse",
        "JSON of request and response, events of RetrieveAndGenerateStream and ConverseStream",
        "Converse: position, cited, text; Retrieve: rank (derived), score, text; "
        "RetrieveAndGenerate: what was cited",
        "RetrieveAndGenerate: uncited chunks, rank, tokens: no cited rate, no position measure; "
        "Retrieve: an answer, so position is assumed and citations are unknown; time",
        signs.bedrock,
        bedrock.read_calls,
    ),
    Known(
        "gemini",
        "Gemini and Vertex grounding",
        "JSON of request and response, streamed parts",
        "which chunks were cited, text, prompt tokens",
        "all that was shown, rank, position, chunk ids: no cited rate, no position measure",
        signs.gemini,
        gemini.read_calls,
    ),
    Known(
        "openai",
        "OpenAI Responses with file search",
        "JSON of request and response, event streams",
        "rank (derived), score, text, time; cited files",
        "which chunk of a file was cited, what the prompt held: no cited rate, no position measure",
        signs.openai,
        openai.read_responses,
    ),
    Known(
        "azure",
        "Azure OpenAI On Your Data",
        "JSON of completions, also with tool messages; event streams and their lines",
        "position, cited ([docN]), text, time; rank where all retrieved documents were asked for",
        "rank otherwise; chunk ids of their own; what was cited, where the event that ends a "
        "stream was not logged",
        signs.azure,
        azure.read_completions,
    ),
)

NO_LOGS = (
    Known(
        "phoenix_documents",
        "",
        "",
        "",
        "",
        signs.phoenix_documents,
        refused="it is Phoenix's list of retrieved documents, which has no ids and no answers; "
        "export the spans",
    ),
    Known(
        "phoenix_traces",
        "",
        "",
        "",
        "",
        signs.phoenix_traces,
        refused="it is Phoenix's list of traces, whose spans have no attributes; export the spans",
    ),
)
