"""The files for schedulers, and the README's commands of the night, call the command as it is."""

from __future__ import annotations

import configparser
import re
import shlex
from pathlib import Path

import pytest

from analyzer.cli import main

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str, kind: str) -> list[str]:
    return [body for name, body in _BLOCK.findall(text) if name == kind]


@pytest.fixture
def page(repo_root: Path) -> str:
    """That of the nightly room."""
    return (repo_root / "analyzer/nightly/README.md").read_text(encoding="utf-8")


def known(words: list[str]) -> None:
    """Options that the command does not have are told before its help is shown."""
    assert words[0].endswith("citelog")
    assert main.run([*words[1:], "--help"]) == 0


def test_commands_and_crontab(
    repo_root: Path, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (repo_root / "README.md").read_text(encoding="utf-8")
    night = readme[readme.index("## Every night") : readme.index("## On call")]
    for line in "".join(blocks(night, "")).splitlines():
        known(shlex.split(line, comments=True))
    [crontab] = blocks(page, "")
    *when, command = crontab.strip().split(None, 5)
    assert len(when) == 5
    known(shlex.split(command.partition("&& ")[2].partition(" >>")[0]))


def test_systemd(page: str) -> None:
    service, timer = blocks(page, "ini")
    parsed = [configparser.ConfigParser(strict=False) for _ in range(2)]
    for parser, text in zip(parsed, (service, timer), strict=True):
        parser.optionxform = str  # type: ignore[assignment, method-assign]
        parser.read_string(text)
    assert parsed[0].sections() == ["Unit", "Service"]
    known(shlex.split(parsed[0]["Service"]["ExecStart"]))
    assert parsed[1].sections() == ["Unit", "Timer", "Install"]


def test_kubernetes(page: str) -> None:
    [text] = blocks(page, "yaml")
    [command] = re.findall(r"command: (\[.*\])", text)
    known(re.findall(r'"([^"]+)"', command))
    indents = [len(line) - len(line.lstrip()) for line in text.splitlines()]
    assert all(indent % 2 == 0 for indent in indents)
    assert "concurrencyPolicy: Forbid" in text
    assert "restartPolicy: Never" in text
