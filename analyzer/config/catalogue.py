"""The settings as a list: each with its section, its type, its default and its words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from inspect import getdoc
from typing import Any, get_args

import msgspec
from msgspec import NODEFAULT, Meta

from analyzer.config.kinds import NotNegative, Section
from analyzer.config.settings import MINIMUM_EFFECTS_SAY, Config

MINIMUM_EFFECTS = "minimum_effects"
PREFIX = "CITELOG_"

Name = tuple[str, str]  # section ("" for none) and key


@dataclass(frozen=True)
class Setting:
    """One setting; `example` stands in the written file where there is no default."""

    section: str
    key: str
    kind: Any
    default: Any
    says: str
    holds: str
    example: Any = None
    secret: bool = False
    zone: bool = False

    @property
    def name(self) -> Name:
        return self.section, self.key

    @property
    def dotted(self) -> str:
        """retention.facts_weeks, as on the command line."""
        return f"{self.section}.{self.key}" if self.section else self.key

    @property
    def variable(self) -> str:
        """CITELOG_RETENTION_FACTS_WEEKS."""
        return PREFIX + self.dotted.replace(".", "_").upper()


@cache
def catalogue() -> dict[Name, Setting]:
    """Every setting by name, in the order of the written file."""
    return {setting.name: setting for setting in _all()}


@cache
def sections() -> dict[str, str]:
    """Every section with what stands above it in the file; "" holds settings without one."""
    said = {"": ""}
    for field in msgspec.structs.fields(Config):
        if isinstance(field.type, type) and issubclass(field.type, Section):
            said[field.name] = " ".join((getdoc(field.type) or "").split())
    return said | {MINIMUM_EFFECTS: MINIMUM_EFFECTS_SAY}


def _all() -> Iterator[Setting]:
    for field in msgspec.structs.fields(Config):
        if isinstance(field.type, type) and issubclass(field.type, Section):
            yield from (_setting(field.name, one) for one in msgspec.structs.fields(field.type))
        elif field.name == MINIMUM_EFFECTS:
            for measure, effect in Config().minimum_effects.items():
                yield _described(MINIMUM_EFFECTS, measure, NotNegative, effect)
        else:
            yield _setting("", field)


def _setting(section: str, field: msgspec.structs.FieldInfo) -> Setting:
    made = field.default_factory
    default = field.default if made is NODEFAULT else made()
    return _described(section, field.name, field.type, default)


def _described(section: str, key: str, kind: Any, default: Any) -> Setting:
    metas = [part for part in _parts(kind) if isinstance(part, Meta)]
    titles = [meta.title for meta in metas if meta.title]
    descriptions = [meta.description for meta in metas if meta.description]
    extra: dict[str, Any] = {}
    for meta in metas:
        extra |= meta.extra or {}
    return Setting(
        section=section,
        key=key,
        kind=kind,
        default=default,
        says=descriptions[-1] if descriptions else "",
        holds=titles[-1] if titles else "",
        example=next((meta.examples[0] for meta in metas if meta.examples), None),
        secret=bool(extra.get("secret")),
        zone=bool(extra.get("zone")),
    )


def _parts(kind: Any) -> list[Any]:
    """Everything a type is made of, the outermost last."""
    found: list[Any] = []
    for part in get_args(kind):
        found += [*_parts(part), part]
    return found
