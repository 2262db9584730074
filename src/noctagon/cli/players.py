"""`noctagon players`: the players of each game with their options."""

from __future__ import annotations

from typing import Annotated

import typer


def players(
    game: Annotated[str, typer.Argument(help="For which game; by default for all.", show_default=False)] = "",
) -> None:
    """List the players, with their options and defaults: NAME:option=value,… wherever a player is asked for."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from noctagon.core.registry import broken_games, find_game, game_names
    from noctagon.players import describe_player, player_names

    console = Console()
    for name in [game] if game else game_names():
        found = find_game(name)
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), title_justify="left")
        table.title = f"[bold]{found.title}[/bold]"
        table.add_column("Player", style="bold", no_wrap=True)
        table.add_column("What it does, and its options", ratio=1)
        for player in player_names(found):
            about, options = describe_player(player, found)
            shown = "  ".join(f"{option}={default}".rstrip("=") for option, default in options.items())
            table.add_row(player, escape(about) + (f"\n[dim]{escape(shown)}[/dim]" if shown else ""))
        console.print(table)
        for kind, known in (("Evaluations", found.evaluations), ("Move generators", found.generators)):
            if known:
                console.print(f"{kind}: {', '.join(known)}")
        console.print()
    for why in () if game else broken_games().values():
        console.print(f"[red]{escape(why)}[/red]\n")
    console.print(
        "Your own: PATH.py:CLASS[:option=value,…], a class with choose(state, clock);\n"
        "or cmd:COMMAND, a program in any language that plays over the wire.",
        markup=False,
    )
