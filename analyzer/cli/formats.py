"""What other formats can be read, and how a log of one's own becomes one of them."""

from __future__ import annotations

from typing import Annotated

import typer

from analyzer.cli import say

Format = Annotated[
    str,
    typer.Option(help="auto looks at each file; or a name that `citelog formats` lists."),
]
Mapping = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Read with this mapping: a file, or a shipped one's name."),
]
Tokenizer = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Count tokens of texts with it: a name of tiktoken or bpe-openai, or tokenizer.json.",
    ),
]
RouteAttribute = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="The attribute of spans that names the route; else the root's name."
    ),
]
Explain = Annotated[
    bool,
    typer.Option("--explain", help="Load nothing; say where each field of one record comes from."),
]


def add_commands(app: typer.Typer) -> None:
    """Put this room's commands into `app`."""
    app.command()(formats)
    app.command(name="map")(propose)


def formats() -> None:
    """List the formats that are read, what each gives and what it lacks."""
    from analyzer.sources.formats.catalogue import FORMATS
    from analyzer.sources.mapping import shipped

    say.data("record: citation log records, JSON lines, Parquet or CSV; everything that is logged")
    for known in FORMATS:
        _tell(known.name, f"{known.title}; {known.forms}", known.gives, known.lacks)
    say.data("\nby mapping files, which --mapping takes and auto knows:")
    for mapping in shipped():
        _tell(mapping.name, mapping.about, mapping.gives, mapping.lacks)


def _tell(name: str, about: str, gives: str, lacks: str) -> None:
    say.data(f"{name}: {about}\n    gives {gives}\n    lacks {lacks}")


def propose(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A log of your own.")],
) -> None:
    """Propose a mapping for a log of your own by looking at it."""
    from analyzer.sources import sampled
    from analyzer.sources.mapping.proposing import proposed

    for line in proposed(sampled(file), file).split("\n"):
        say.data(say.plain(line))
    say.talk(
        f"save it as m.toml; citelog ingest --mapping m.toml --explain {file} shows what it does"
    )


def explain(paths: list[str], reading: dict[str, str | None]) -> None:
    """Print for the first record of each file where its fields come from."""
    from analyzer.sources import asked, expand, open_source
    from analyzer.sources.explaining import explained

    files = expand(paths)
    asking = asked(files, **reading)
    for file in files:
        with open_source(file, asking=asking) as source:
            told = explained(source)
            say.data(f"{say.plain(source.name)}: {say.plain(source.format)}")
            width = max((len(each.field) for each in told), default=0)
            for each in told:
                line = f"  {each.field:{width}}  {each.value}  <- {each.came}"
                say.data(say.plain(line))
            if told:
                continue  # what is said of a file is said of all of it, and one record was read
            say.data("  it holds no request")
            if source.told:
                say.talk(say.plain(source.told))
