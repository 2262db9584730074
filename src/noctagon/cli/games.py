"""`noctagon games`: the installed games."""

from __future__ import annotations


def games() -> None:
    """List the installed games: those that ship, and those that other packages bring."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from noctagon.core.registry import broken_games, find_game, game_names

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column("Game", style="bold", no_wrap=True)
    table.add_column("About", ratio=1)
    for name in game_names():
        game = find_game(name)
        table.add_row(name, f"[bold]{escape(game.title)}[/bold]: {escape(game.about)}")
        facts = [" against ".join(game.sides), f"rules {', '.join(game.rule_sets)}"]
        facts.append(f"{len(game.setups())} to start from")
        table.add_row("", f"[dim]{escape(' · '.join(facts))}[/dim]")
    for name, why in broken_games().items():
        table.add_row(name, f"[red]{escape(why)}[/red]")
    Console(highlight=False).print(table)
