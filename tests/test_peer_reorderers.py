"""The reorderers that LangChain, LlamaIndex and Haystack ship, run as they are.

They live in an environment of their own, named by CITELOG_REORDERERS; `make test-peers` makes it.
"""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from analyzer import ordering

MOST = 40
PYTHON = os.environ.get("CITELOG_REORDERERS", "")
needs_peers = pytest.mark.skipif(
    not PYTHON, reason="LangChain, LlamaIndex and Haystack are not installed; make test-peers does"
)
# Each takes ranks 1..K, best first, as its own documents, and tells them in prompt order.
PROGRAM = f"""
import json

from haystack import Document as HaystackDocument
from haystack.components.rankers import LostInTheMiddleRanker
from langchain_community.document_transformers import LongContextReorder as OfLangChain
from langchain_core.documents import Document
from llama_index.core.postprocessor import LongContextReorder as OfLlamaIndex
from llama_index.core.schema import NodeWithScore, TextNode


def lang_chain(ranks):
    made = OfLangChain().transform_documents([Document(page_content=str(r)) for r in ranks])
    return [int(one.page_content) for one in made]


def llama_index(ranks):
    nodes = [NodeWithScore(node=TextNode(text=str(r)), score=1 / r) for r in ranks]
    return [int(one.node.text) for one in OfLlamaIndex().postprocess_nodes(nodes)]


def haystack(ranks):
    documents = [HaystackDocument(content=str(r), score=1 / r) for r in ranks]
    return [int(one.content) for one in LostInTheMiddleRanker().run(documents)["documents"]]


told = {{
    one.__name__: [one(range(1, k + 1)) for k in range({MOST} + 1)]
    for one in (lang_chain, llama_index, haystack)
}}
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told() -> dict[str, list[list[int]]]:
    """By library and number of chunks, the ranks in prompt order."""
    done = subprocess.run([PYTHON, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[list[int]]] = json.loads(done.stdout.splitlines()[-1])
    return found


@needs_peers
@pytest.mark.parametrize(
    ("library", "name"),
    [
        ("lang_chain", "long_context_reorder"),
        ("llama_index", "long_context_reorder"),
        ("haystack", "lost_in_the_middle"),
    ],
)
def test_a_library_lays_chunks_as_its_name_here(
    told: dict[str, list[list[int]]], library: str, name: str
) -> None:
    assert told[library] == [ordering.ranks(name, k) for k in range(MOST + 1)]
