"""What each missing field costs, in words, and what it weighs."""

from __future__ import annotations

from analyzer.checking.found import Fault

_LABEL = "no change can be put down to a {}"

_REQUESTS = (
    Fault(
        "requested_at",
        60,
        "no `requested_at`",
        "the file's time stands for the request's, so its week is assumed",
        "log the time of arrival, RFC 3339 with an offset",
    ),
    Fault(
        "unit_id",
        50,
        "no `unit_id`",
        "intervals assume the ordering is drawn per request, and may be too narrow",
        "log the user, session or tenant that the ordering was chosen for",
    ),
    Fault(
        "route",
        40,
        "no `route`",
        "all traffic counts as one route, and its mix hides changes",
        "log which pipeline or endpoint served the request",
    ),
    Fault("model", 35, "no `model`", _LABEL.format("model"), "log the model's name"),
    Fault("release", 35, "no `release`", _LABEL.format("release"), "log the deployed version"),
    Fault(
        "index_version",
        30,
        "no `index_version`",
        _LABEL.format("re-indexing"),
        "log the label of the search index",
    ),
    Fault(
        "prompt_version",
        15,
        "no `prompt_version`",
        _LABEL.format("prompt"),
        "log the label of the prompt template",
    ),
    Fault(
        "prompt_tokens",
        35,
        "no `prompt_tokens`",
        "a prompt that was cut is not seen, and prompts of all lengths are compared as one",
        "log the prompt's tokens as the server counted them",
    ),
    Fault(
        "budget_tokens",
        10,
        "no `budget_tokens`",
        "the share of prompts at the budget is not known",
        "log the budget of the packed chunks",
    ),
    Fault(
        "exposure",
        80,
        "the list does not hold all packed chunks (`exposure`)",
        "no rate has a denominator, so none is computed",
        "log all packed chunks",
    ),
)
_CHUNKS = (
    Fault(
        "rank",
        85,
        "no `rank`",
        "no effect of position can be told from that of rank",
        "log the order of the last scorer before packing, 1 = best",
    ),
    Fault(
        "tokens",
        40,
        "no `tokens`",
        "the request has no context tokens: no length, no budget, no cost of copies",
        "count them with the production tokenizer",
    ),
    Fault(
        "doc_id",
        25,
        "no `doc_id`",
        "the documents behind copies are not named, orderings by document not recognised",
        "log which document the chunk comes from",
    ),
    Fault(
        "text",
        40,
        "no `text`, `text_hash` or `signature`",
        "near-copies are not found",
        "log the text, or the fingerprints that analyzer.record makes of it",
    ),
)
_ANSWERS = (
    Fault(
        "cited",
        95,
        "nothing says what the answer cites",
        "it has no cited rate, and without one there is no effect of position",
        "log `cited` flags, a list of `citations`, or the `answer` with its [n] markers",
    ),
    Fault(
        "position",
        90,
        "no chunk has a `position`",
        "the answer counts as made without context, outside every cited rate",
        "log the place in the prompt of each packed chunk, 1 = first",
    ),
)
_ORIGINS = tuple(
    Fault(
        f"{name}_origin",
        30,
        f"`origins` says that `{name}` was worked out and not logged",
        costs,
        f"log `{name}` where it is known: in the application",
    )
    for name, costs in (
        ("rank", "ranks are as good as the guess, and position is adjusted for them"),
        ("position", "places are as good as the guess, and the whole analysis rests on them"),
        ("cited", "citations are as good as the guess"),
    )
)
_CITATIONS = (
    Fault(
        "stray",
        60,
        "what is cited was not packed",
        "it counts as stray, and the chunk that was meant as uncited",
        "number from 1, or log what the prompt called each chunk as its `marker`",
    ),
)

FAULTS: dict[str, tuple[Fault, str]] = {
    fault.name: (fault, base)
    for base, faults in (
        ("requests", (*_REQUESTS, *_ORIGINS)),
        ("packed chunks", _CHUNKS),
        ("answers", _ANSWERS),
        ("citations", _CITATIONS),
    )
    for fault in faults
}
ONLY_PACKED = Fault(
    "retrieved",
    25,
    "only packed chunks are listed",
    "what was retrieved and cut is not seen: the funnel begins at packed",
    "log every retrieved chunk; one without a position was not packed",
)
LABELS = Fault(
    "labels",
    5,
    "nothing is judged, and no expected chunk is named",
    "no accuracy by place, and no triage of wrong answers",
    "send judgements later, as lines of their own",
)
