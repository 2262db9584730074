"""`noctagon serve`: the server that bots in any language connect to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from noctagon.cli.recording import RECORD, STORE


def serve(
    game: Annotated[
        str, typer.Argument(help="vampires (TCP, the course's protocol) or wargame (an HTTP broker).")
    ],
    host: Annotated[
        str | None,
        typer.Option(help="Address to listen at; by default only this machine can connect. [127.0.0.1]"),
    ] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="[5555; wargame: 8001]")] = None,
    map: Annotated[  # noqa: A002 - the option's name
        str | None, typer.Option(metavar="NAME", help="The map: a bundled one, generated:N or an .xml file.")
    ] = None,
    rules: Annotated[str | None, typer.Option(metavar="NAME", help="The rule set; usually server.")] = None,
    majority: Annotated[
        bool, typer.Option("--majority", help="Holding over half of the cells wins.")
    ] = False,
    time: Annotated[float | None, typer.Option(help="Seconds for a turn. [2; wargame: no limit]")] = None,
    plies: Annotated[
        int | None, typer.Option(help="Maximum number of turns in a game. [200; wargame: 100]")
    ] = None,
    duration: Annotated[float | None, typer.Option(help="Seconds after which a game ends. [300]")] = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="Games of a pair, sides swapped each time. [1]")
    ] = None,
    reconnect: Annotated[bool, typer.Option("--reconnect", help="A new connection for every game.")] = False,
    tables: Annotated[
        int | None, typer.Option(min=1, help="Pairs that play at once, as they come. [1]")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The course's XML configuration, or TOML with these names."),
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Write every packet and battle to trace_….txt.")
    ] = False,
    record: Annotated[str | None, RECORD] = None,
    store: Annotated[str | None, STORE] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="An illegal turn costs the turn, not the game.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Makes chance repeatable.")] = None,
    solo: Annotated[bool, typer.Option("--solo", help="One player, always on move.")] = False,
    opponent: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Play against one of noctagon's players.")
    ] = None,
    web: Annotated[
        bool, typer.Option("--web", help="Show the tables on a page; it stays until Ctrl-C.")
    ] = False,
    web_port: Annotated[int, typer.Option(min=0, max=65535, help="The page's port; 0: any free one.")] = 8642,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON line a game on stdout, nothing else.")
    ] = False,
) -> None:
    """Serve games to programs that connect: a drop-in for the course's server, on any system.

    noctagon serve vampires --map duel --time 2, then start two bots with 127.0.0.1 5555 as their last arguments.
    """
    import asyncio
    import signal
    import sys

    from noctagon.cli.server_screen import ServerScreen
    from noctagon.core.game import NoctagonError, UnknownName
    from noctagon.core.registry import find_game, game_names, wired_games
    from noctagon.wire.configuration import read_configuration
    from noctagon.wire.tcp import TcpWire

    given: dict[str, Any] = read_configuration(config) if config else {}
    chosen = {
        "host": host,
        "port": port,
        "map": map,
        "rules": rules,
        "majority": majority or None,
        "time": time,
        "plies": plies,
        "duration": duration,
        "games": games,
        "reconnect": reconnect or None,
        "tables": tables,
        "trace": trace or None,
        "record": record,
        "store": store,
        "lenient": lenient or None,
        "seed": seed,
        "solo": solo or None,
        "opponent": opponent,
    }
    given.update((name, value) for name, value in chosen.items() if value is not None)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start without it
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    if game not in game_names():
        raise UnknownName("game to serve", game, wired_games())
    wire = find_game(game).wire()
    if wire is None:
        raise NoctagonError(
            f"{game} has no wire, so programs cannot connect to it; those that have: {', '.join(wired_games())}"
        )
    if web and not isinstance(wire, TcpWire):
        with_tables = [name for name in wired_games() if isinstance(find_game(name).wire(), TcpWire)]
        raise NoctagonError(f"--web shows the tables of {' and '.join(with_tables)}, not those of {game}")
    screen = ServerScreen(wire, given, json=json)
    try:
        with screen.recorder:
            asyncio.run(screen.serve_with_page(web_port) if web else screen.serve())
        played = screen.played
    except KeyboardInterrupt:
        print("noctagon: stopped", file=sys.stderr)
        played = 1
    if not played:
        raise NoctagonError("no game was played")
