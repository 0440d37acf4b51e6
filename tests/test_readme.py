"""Every command that the documents show is run in their order, and prints what they show.

What stands in `sample_logs/README.md` comes first: it makes the store that `make demo` makes. Then
the README, and the pages of the rooms that it leads to. The logs of the reader's own are a small
traffic with the alarm that the README speaks of.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import pytest
from shown import Shown, agrees, commands

from analyzer import record
from analyzer.cli import main
from analyzer.config import load
from analyzer.simulate import adjusted, incidents_of, simulate, standard, with_incidents
from analyzer.swap.asking import Prompt
from analyzer.swap.command import Command

FIRST = datetime(2026, 8, 17, tzinfo=UTC)
NIGHT = datetime(2026, 11, 24, 2, tzinfo=UTC)
DOCUMENTS = (
    "sample_logs/README.md",
    "README.md",
    "analyzer/sources/README.md",
    "analyzer/watch/README.md",
    "analyzer/nightly/README.md",
    "analyzer/oncall/README.md",
    "analyzer/whatif/README.md",
    "analyzer/ordering/README.md",
    "analyzer/swap/README.md",
    "queries/README.md",
    "queries/store/README.md",
    "analyzer/engine/README.md",
)
ROOMS = ("analyzer", "queries", "dashboards", "sample_logs")
MOST_LINES = 330  # of the README: what a stranger reads in the first hour
SHELL = set("|<>&;$`")  # what bash has to read
ENDS = {"--fail-on alarm": {0, 3}, "swap gate": {0, 7, 8}}
ELSEWHERE = ("make test", "make validate", "make bench", "make samples", "pip install")

Captured = pytest.CaptureFixture[str]


class Then(datetime):
    """The clock of the night after the last day of the sample logs."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return NIGHT.astimezone(tz)


@pytest.fixture
def folder(repo_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a reader has: the sample logs, logs of an own service, a folder to build in."""
    for name in ("build", "logs", "sample_logs"):
        (tmp_path / name).mkdir()
    for file in (repo_root / "sample_logs").glob("2026-W*"):
        (tmp_path / "sample_logs" / file.name).symlink_to(file)
    (tmp_path / "sample_logs" / "formats").symlink_to(repo_root / "sample_logs" / "formats")
    own = adjusted(standard(FIRST, 14, requests=120.0), per="week", compression="zst")
    own = with_incidents(own, incidents_of("reindex_copies:2026-11-17:support"))
    simulate(own, tmp_path / "logs")
    questions(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITELOG_DRIFT_LEAST_REQUESTS", "60")  # so that little traffic alarms
    for name, module in list(sys.modules.items()):
        if name.startswith("analyzer.cli.") and getattr(module, "datetime", None) is datetime:
            monkeypatch.setattr(module, "datetime", Then)
    return tmp_path


def questions(folder: Path) -> None:
    """Labelled questions, each with a code in one of its chunks, and a program that finds it."""
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
        for n in range(12):
            texts = [f"Part {part} of topic {n} says {n * part} things. " * 20 for part in range(6)]
            texts[0] += f"The code of topic {n} is K{n}X."
            chunks = [{"chunk_id": f"{n}#{part}", "text": text} for part, text in enumerate(texts)]
            asked = {"question": f"What is the code of topic {n}?", "answers": [f"K{n}X"]}
            file.write(
                json.dumps(asked | {"expected_chunk_ids": [f"{n}#0"], "chunks": chunks}) + "\n"
            )
    (folder / "application.py").write_text(
        "import json, re, sys\n"
        "asked = sys.stdin.read()\n"
        "topic = re.search(r'What is the code of topic (\\d+)', asked)[1]\n"
        "found = re.search(rf'code of topic {topic} is (K\\d+X)', asked)\n"
        "print(json.dumps({'answer': found[1] if found else 'unknown'}))\n"
    )


def test_every_command_of_the_documents_does_what_they_say(
    folder: Path, repo_root: Path, capsys: Captured
) -> None:
    ran = 0
    for document in DOCUMENTS:
        for shown in commands((repo_root / document).read_text(encoding="utf-8")):
            ran += follow(shown, repo_root, capsys)
    assert ran > 20


def test_every_page_is_followed_and_the_readme_leads_to_it(repo_root: Path) -> None:
    found = (page for room in ROOMS for page in (repo_root / room).rglob("README.md"))
    pages = {str(page.relative_to(repo_root)) for page in found}
    assert pages | {"README.md"} == set(DOCUMENTS)
    leads = {link.partition("#")[0] for link in links(repo_root / "README.md")}
    assert pages <= leads


@pytest.mark.parametrize("document", [*DOCUMENTS, "SECURITY.md", "queries/scale.md"])
def test_every_link_leads_somewhere(repo_root: Path, document: str) -> None:
    for link in links(repo_root / document):
        path, _, anchor = link.partition("#")
        there = (repo_root / document).parent / path if path else repo_root / document
        assert there.resolve().is_relative_to(repo_root.resolve())
        assert there.exists(), link
        assert not anchor or anchor in anchors(there), link


def test_the_readme_is_read_in_an_hour(repo_root: Path) -> None:
    assert len((repo_root / "README.md").read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_settings_of_the_documents_are_those_of_the_program(
    repo_root: Path, tmp_path: Path
) -> None:
    blocks = [block for page in DOCUMENTS for block in fenced(repo_root / page, "toml")]
    assert blocks
    for block in blocks:
        (tmp_path / "citelog.toml").write_text(block, encoding="utf-8")
        assert load(tmp_path / "citelog.toml", {}).prices.input == 2.5


def test_the_record_of_the_readme_is_one(repo_root: Path) -> None:
    [block] = fenced(repo_root / "README.md", "json")
    parsed = record.parse(b" ".join(block.encode().split()))
    assert isinstance(parsed, record.Request)
    assert [chunk.position for chunk in parsed.chunks] == [1, 3, 2, None]


def test_a_program_gets_what_the_page_of_evaluations_shows(repo_root: Path, tmp_path: Path) -> None:
    """On its stdin, to the last name of a field; and what it may answer is read."""
    shown, answer = map(json.loads, fenced(repo_root / "analyzer/swap/README.md", "json"))
    heard = tmp_path / "heard.json"
    program = tmp_path / "program.py"
    program.write_text(
        f"import pathlib, sys\npathlib.Path({str(heard)!r}).write_text(sys.stdin.read())\n"
        f"print({json.dumps(answer)!r})\n"
    )
    asked = Prompt(shown["messages"], shown["question"], shown["chunks"], "name")
    command = Command.of(f"{shlex.quote(sys.executable)} {shlex.quote(str(program))}", 60.0)
    assert command(asked).text == answer["answer"]
    assert json.loads(heard.read_text()) == shown


def links(document: Path) -> list[str]:
    """Where a page leads inside the project."""
    text = re.sub(r"^```.*?^```$", "", document.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]


def anchors(document: Path) -> set[str]:
    """The headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def fenced(document: Path, kind: str) -> list[str]:
    """The blocks of a page that are marked so."""
    text = document.read_text("utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def follow(shown: Shown, root: Path, capsys: Captured) -> int:
    """Run what a document shows and hold it to that; how many commands were run."""
    if shown.command.startswith(ELSEWHERE):
        return 0
    if shown.command.strip() == "make demo":
        Path("citations.duckdb").rename("build/demo.duckdb")  # it holds them, and says so
        lines = recipe(root, "demo")
    else:
        lines = [shown.command]
    for line in lines:
        code = run(line)
        out, err = capsys.readouterr()
        allowed = next((codes for words, codes in ENDS.items() if words in line), {0})
        assert code in allowed, f"{line}\n{out}{err}"
        assert "Traceback" not in err
    if shown.output is not None:
        assert agrees(shown.output, out + err), f"{shown.command}\n{out}{err}"
    return len(lines)


def recipe(root: Path, target: str) -> list[str]:
    """The commands of a target of the Makefile that call citelog."""
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    week = re.search(r"^WEEK \?= (\S+)$", makefile, re.MULTILINE)
    [body] = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    called = [line.strip() for line in body.splitlines() if line.strip().startswith("$(BIN)")]
    assert week is not None
    assert called
    return [line.replace("$(BIN)/", "").replace("$(WEEK)", week[1]) for line in called]


def run(line: str) -> int:
    """One command line; by bash where it holds more than words."""
    words = shlex.split(line, comments=True)
    assert words[0] == "citelog", f"{line}: no command of this program"
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", line)
    if not SHELL & set(bare):
        return main.run(words[1:])
    python = f"{shlex.quote(sys.executable)} -c 'from analyzer.cli.main import main; main()'"
    script = f'citelog() {{ {python} "$@"; }}\n{line}\n'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


def test_shown_commands_are_found_with_their_output() -> None:
    text = (
        "```\ncitelog a b \\\n  --c\n# a word\ncitelog d  # why\n```\n"
        "```json\n{}\n```\n```\n0 2 * * *  citelog x\n```\n"
        "<!-- not run: it would go on for ever -->\n```sh\ncitelog open\n```\n"
        "```console\n$ citelog e\none\n...\nn ... lines\n$ citelog f\n```\n"
    )
    assert list(commands(text)) == [
        Shown("citelog a b    --c", None),
        Shown("citelog d  # why", None),
        Shown("citelog e", ("one", "...", "n ... lines")),
        Shown("citelog f", None),
    ]


@pytest.mark.parametrize(
    ("printed", "same"),
    [
        ("one\nn 12 lines\n", True),
        ("one\ntwo\nthree\nn 12 lines  \n", True),
        ("one\nn 12 lines\nmore\n", False),
        ("two\nn 12 lines\n", False),
        ("one\n12 lines\n", False),
    ],
)
def test_output_agrees_but_for_what_is_left_open(printed: str, same: bool) -> None:
    assert agrees(("one", "...", "n ... lines"), printed) is same
