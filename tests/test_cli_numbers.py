"""What is no finite number is no value of an option or a setting that takes one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from analyzer.cli import main
from analyzer.config import load
from analyzer.config.catalogue import catalogue
from analyzer.errors import UsageError

Captured = pytest.CaptureFixture[str]
NONE = ("nan", "inf", "-inf", "-1e400", "1e400", "-1")


def options(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Command and name of every option that takes a number with a fraction."""
    for each in command.params:
        if each.bare_type() == "float":
            yield (*path, each.opts[0])
    for name, inner in getattr(command, "commands", {}).items():
        yield from options(inner, (*path, name))


EVERY = list(options(get_command(main.app)))


def test_there_are_such_options_and_they_are_found() -> None:
    assert ("swap", "run", "--timeout") in EVERY
    assert ("ingest", "--max-rejected") in EVERY
    assert len(EVERY) >= 10


@pytest.mark.parametrize("value", NONE)
def test_it_is_refused_in_a_sentence(value: str, capsys: Captured) -> None:
    for *command, option in EVERY:
        assert main.run([*command, f"{option}={value}"]) == 2, (command, option)
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        assert f"'{option}'" in said.err


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e400"])
def test_no_setting_takes_it_either(value: str) -> None:
    numbers = [setting for setting in catalogue().values() if "number" in setting.holds]
    assert len(numbers) > 30
    for setting in numbers:
        with pytest.raises(UsageError, match=r"is \w*(NaN|Infinity|-Infinity).* is needed"):
            load(None, {}, [f"{setting.dotted}={value}"])
