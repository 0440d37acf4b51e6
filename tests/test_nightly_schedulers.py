"""The files for schedulers in the README call the command as it is."""

from __future__ import annotations

import configparser
import re
import shlex
from pathlib import Path

import pytest

from analyzer.cli import main

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(root: Path, kind: str) -> list[str]:
    text = (root / "README.md").read_text(encoding="utf-8")
    night = text[text.index("## Every night") : text.index("## What if")]
    return [body for name, body in _BLOCK.findall(night) if name == kind]


def known(words: list[str]) -> None:
    """Options that the command does not have are told before its help is shown."""
    assert words[0].endswith("citelog")
    assert main.run([*words[1:], "--help"]) == 0


def test_commands_and_crontab(repo_root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands, crontab = blocks(repo_root, "")
    for line in commands.splitlines():
        known(shlex.split(line))
    *when, command = crontab.strip().split(None, 5)
    assert len(when) == 5
    known(shlex.split(command.partition("&& ")[2].partition(" >>")[0]))


def test_systemd(repo_root: Path) -> None:
    service, timer = blocks(repo_root, "ini")
    parsed = [configparser.ConfigParser(strict=False) for _ in range(2)]
    for parser, text in zip(parsed, (service, timer), strict=True):
        parser.optionxform = str  # type: ignore[assignment, method-assign]
        parser.read_string(text)
    assert parsed[0].sections() == ["Unit", "Service"]
    known(shlex.split(parsed[0]["Service"]["ExecStart"]))
    assert parsed[1].sections() == ["Unit", "Timer", "Install"]


def test_kubernetes(repo_root: Path) -> None:
    [text] = blocks(repo_root, "yaml")
    [command] = re.findall(r"command: (\[.*\])", text)
    known(re.findall(r'"([^"]+)"', command))
    indents = [len(line) - len(line.lstrip()) for line in text.splitlines()]
    assert all(indent % 2 == 0 for indent in indents)
    assert "concurrencyPolicy: Forbid" in text
    assert "restartPolicy: Never" in text
