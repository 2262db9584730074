"""`noctagon maps`: list the bundled maps, show one, make a new one, check map files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from noctagon.core.board import View
    from noctagon.games.vampires.maps.map import Map
    from noctagon.games.vampires.rules.state import VampiresState

app = typer.Typer(help="Maps of Vampires vs Werewolves: list, show, make, check.", no_args_is_help=True)


@app.command("list")
def list_maps() -> None:
    """List the maps that come with the game, and what each one tests."""
    from rich.table import Table

    from noctagon.games.vampires.maps.map import bundled_maps

    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("Name", style="bold", no_wrap=True)
    for title in ("Size", "Houses", "Humans", "V:W", "Sym"):
        table.add_column(title, justify="center" if title == "Sym" else "right", no_wrap=True)
    table.add_column("What it tests", ratio=1)
    for found in bundled_maps().values():
        table.add_row(
            found.name,
            f"{found.rows}×{found.columns}",
            str(len(found.humans)),
            str(sum(count for _, _, count in found.humans)),
            f"{found.vampires[2]}:{found.werewolves[2]}",
            "✓" if found.symmetric else "",
            found.about,
        )
    console = _console()
    console.print(table)
    console.print(
        "\nSize is rows × columns; V:W are the start groups; Sym: a turn or a mirror only swaps the species.\n"
        "generated:1, generated:2, … are further maps, each drawn from its number."
    )


@app.command()
def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME_OR_FILE", help="A bundled map, generated:N, or an .xml file.")
    ],
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw it into this file.")] = None,
) -> None:
    """Show a map: the board, the facts, and what to know before playing on it."""
    from noctagon.games.vampires import game
    from noctagon.games.vampires.maps.generated import SeveralGroups
    from noctagon.games.vampires.maps.map import check_map, find_map
    from noctagon.terminal import draw_board

    found: Map | VampiresState
    try:
        found = find_map(name)
        called, about, remarks = found.name, found.about, check_map(found)
    except SeveralGroups:
        found = game.initial(name)
        called, about = name, ""
        remarks = ["several groups a side: it is no map of the course, so it cannot be served over TCP"]
    console = _console()
    if console.is_terminal:
        console.print(draw_board(found.view(), width=console.width))
    else:  # a file or a pipe has room for the whole board
        _print(console, str(found))
    _print(console, "")
    _print(console, f"{called}: {_facts(found)}")
    if about:
        _print(console, about)
    for remark in remarks:
        _print(console, f"! {remark}", style="yellow")
    if svg is not None:
        _write(svg, _picture(found.view(), called))
        _print(console, f"drawn into {svg}")


@app.command()
def make(
    rows: Annotated[int, typer.Option(help="1 to 255.")] = 10,
    columns: Annotated[int, typer.Option(help="1 to 255.")] = 10,
    houses: Annotated[int, typer.Option(help="How many cells hold humans.")] = 16,
    seed: Annotated[int | None, typer.Option(help="The same seed makes the same map.")] = None,
    asymmetric: Annotated[bool, typer.Option("--asymmetric", help="Do not mirror one half.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write here, not to the screen.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE if it exists.")] = False,
) -> None:
    """Make a random map in the course's format, in the manner of the course's generator."""
    import random

    from noctagon.core.game import NoctagonError
    from noctagon.games.vampires.maps.maker import make_map
    from noctagon.games.vampires.maps.map import write_map

    if out is not None and out.exists() and not force:
        raise NoctagonError(f"{out} exists already; --force overwrites it")
    if seed is None:
        seed = random.SystemRandom().randrange(2**32)
    made = make_map(random.Random(seed), rows=rows, columns=columns, houses=houses, symmetric=not asymmetric)
    if out is None:
        typer.echo(write_map(made), nl=False)
        typer.echo(f"seed {seed}", err=True)
    else:
        _write(out, write_map(made))
        typer.echo(f"{out}: {_facts(made)}, seed {seed}")


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Map files to check.")],
) -> None:
    """Check map files: are they well-formed, can they be served, is there anything to know?"""
    from noctagon.games.vampires.maps.map import MapError, check_map, read_map

    console = _console()
    bad = 0
    for file in files:
        try:
            found, warnings = read_map(file)
            if found.wire_fault:
                raise MapError(found.wire_fault, source=str(file))
        except MapError as error:
            bad += 1
            _print(console, f"✗ {error}", style="red")
            continue
        _print(console, f"✓ {file}: {_facts(found)}", style="green")
        for remark in [*warnings, *check_map(found)]:
            _print(console, f"  ! {remark}", style="yellow")
    if bad:
        raise typer.Exit(1)


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False)


def _print(console: Console, text: str, style: str | None = None) -> None:
    """Print a text unchanged: names and files may hold brackets, and a board must not be wrapped."""
    console.print(text, style=style, markup=False, soft_wrap=True)


def _facts(found: Map | VampiresState) -> str:
    from noctagon.games.vampires.maps.map import Map

    def some(number: int, what: str) -> str:
        return f"{number} {what}" if number == 1 else f"{number} {what}s"

    view = found.view()
    houses = [piece.count for piece in view.pieces if piece.side is None]
    symmetry = "symmetric"
    if isinstance(found, Map):
        symmetry = f"symmetric {found.symmetry}" if found.symmetric else "not symmetric"
    groups = "" if isinstance(found, Map) else f" in {some(len(found.vampires), 'group')} each"
    return ", ".join(
        [
            f"{some(view.rows, 'row')} × {some(view.columns, 'column')}",
            f"{some(len(houses), 'house')} with {some(sum(houses), 'human')}" if houses else "no humans",
            f"{view.score[0]} Vampires against {view.score[1]} Werewolves{groups}",
            symmetry,
        ]
    )


def _picture(view: View, title: str) -> str:
    from importlib import resources

    from noctagon.core import svg

    symbols = resources.files("noctagon.games.vampires") / "symbols.svg"
    return svg.draw(view, symbols.read_text(encoding="utf-8"), title=title)


def _write(file: Path, text: str) -> None:
    """Write a file with the same line ends on every system."""
    from noctagon.core.game import NoctagonError

    try:
        file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise NoctagonError(f"{file} cannot be written: {error.strerror}") from None
