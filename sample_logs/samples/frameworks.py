"""The shop's answers as result objects of frameworks, which mapping files read."""

from __future__ import annotations

from shop import CHUNKS, Folder, everything


def write(folder: Folder) -> None:
    """Results that LlamaIndex, LangChain, Haystack and ALCE write, one a line or a file."""
    every = everything()
    folder.lines(
        "llamaindex.jsonl",
        [
            {
                "request_id": f"llamaindex-{a.number}",
                "timestamp": a.at.isoformat(),
                "response": a.answer,
                "source_nodes": [
                    {
                        "node": {
                            "id_": n,
                            "text": CHUNKS[n][1],
                            "relationships": {"1": {"node_id": CHUNKS[n][0]}},
                        },
                        "score": a.score(a.retrieved.index(n)),
                    }
                    for n in a.packed
                ],
            }
            for a in every
        ],
    )
    folder.lines(
        "langchain.jsonl",
        [
            {
                "request_id": f"langchain-{a.number}",
                "timestamp": a.at.isoformat(),
                "input": a.question,
                "answer": a.answer,
                "context": [
                    {
                        "lc": 1,
                        "type": "constructor",
                        "id": ["langchain", "schema", "document", "Document"],
                        "kwargs": {
                            "id": n,
                            "page_content": CHUNKS[n][1],
                            "metadata": {"source": CHUNKS[n][0]},
                        },
                    }
                    for n in a.packed
                ],
            }
            for a in every
        ],
    )
    folder.lines(
        "haystack.jsonl",
        [
            {
                "data": a.answer,
                "query": a.question,
                "documents": [
                    {
                        "id": n,
                        "content": CHUNKS[n][1],
                        "meta": {
                            "file_name": CHUNKS[n][0],
                            "source_index": at,
                            "referenced": f"[{at}]" in a.answer,
                        },
                    }
                    for at, n in enumerate(a.packed, 1)
                ],
                "meta": {"model": "sample-1", "timestamp": a.at.isoformat()},
            }
            for a in every
        ],
    )
    docs = [
        {"id": n, "title": document, "text": text, "score": 0.5}
        for n, (document, text) in CHUNKS.items()
    ]
    folder.document(
        "alce.json",
        {
            "args": {"model": "sample-1", "ndoc": 3},
            "data": [
                {"sample_id": "alce-0", "question": "Tent?", "docs": docs, "output": "Wax [1]."}
            ],
        },
    )
