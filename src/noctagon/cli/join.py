"""`noctagon join`: one of our players, or yours, on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from noctagon.core.game import Game
    from noctagon.core.player import PlayerSpec
    from noctagon.core.wire import Client

PLAYER = "alphabeta"


def join(
    host: Annotated[
        str, typer.Argument(help="The server's name or address; or a broker's, http://…/game/ID.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Argument(min=1, max=65535, help="Its port; 5555.", show_default=False)
    ] = None,
    player: Annotated[
        str, typer.Option(metavar="SPEC", help="Who plays: NAME[:option=value,…] or PATH.py:CLASS.")
    ] = PLAYER,
    name: Annotated[
        str, typer.Option(help="What to be called there; by default as the player.", show_default=False)
    ] = "",
    rules: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The rule set the server plays by: server, handout; at a broker: document, engine.",
            show_default=False,
        ),
    ] = "",
    time: Annotated[
        float | None, typer.Option(help="Seconds for a turn; 2, wargame 5.", show_default=False)
    ] = None,
    plies: Annotated[
        int | None,
        typer.Option(help="Maximum number of turns; 200, wargame 100.", show_default=False),
    ] = None,
    duration: Annotated[
        float | None,
        typer.Option(
            help="Seconds after which a game ends, where --plies is not told; 300.", show_default=False
        ),
    ] = None,
    patience: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long to wait for a server that says nothing.")
    ] = 600.0,
    reconnect: Annotated[
        bool, typer.Option("--reconnect", help="Connect again and again, until Ctrl-C.")
    ] = False,
    side: Annotated[
        str,
        typer.Option(metavar="SIDE", help="At a broker: attacker or defender.", show_default=False),
    ] = "",
    game: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The game that is played there; vampires, or wargame at a broker's address.",
            show_default=False,
        ),
    ] = "",
) -> None:
    """Play on a server, as a bot does: noctagon join --player greedy 127.0.0.1 5555.

    Or in a wargame through an HTTP broker: noctagon join --side attacker http://127.0.0.1:8001/game/1.
    """
    import asyncio
    import signal
    import sys

    from noctagon.core.game import NoctagonError
    from noctagon.core.player import PlayerSpec
    from noctagon.core.registry import find_game
    from noctagon.core.wire import JoinOptions

    for option, value in (("--time", time), ("--duration", duration), ("--patience", patience)):
        if value is not None and not 0 < value < 86400:
            raise NoctagonError(f"{option} {value:g}: more than 0 seconds, and less than a day")
    by_http = host.lower().startswith(("http://", "https://"))
    found = find_game(game or ("wargame" if by_http else "vampires"))
    wire = found.wire()
    if wire is None:
        raise NoctagonError(f"{found.name} has no wire, so there is no server of it to join")
    spec = PlayerSpec.parse(player)
    options = JoinOptions(
        host,
        seconds=time or found.turn_seconds or 2.0,
        port=port,
        name=name or str(spec),
        rules=rules or None,
        plies=plies,
        duration=duration,
        patience=patience,
        reconnect=reconnect,
        side=side,
    )
    client = wire.client(options)
    games = 0

    def report(line: str) -> None:
        nonlocal games
        games += 1
        print(line, flush=True)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore it
    try:
        asyncio.run(_play(client, spec, found, report))
    except KeyboardInterrupt:
        print("noctagon: interrupted", file=sys.stderr)
        raise typer.Exit(0 if games else 130) from None


async def _play(client: Client, spec: PlayerSpec, game: Game[Any], report: Callable[[str], None]) -> None:
    """Join the server once everything is compiled and loaded: no clock runs before."""
    from noctagon.compiled import jit
    from noctagon.processes.thinking import thinking_seat, warm_up

    game.load()
    jit.complete()
    seat = thinking_seat(spec, game)
    try:
        await warm_up(seat, client.start())
        await client.play(seat, report=report, tell=_tell)
    finally:
        await seat.close()


def _tell(line: str) -> None:
    import sys

    print(f"noctagon: {line}", file=sys.stderr, flush=True)
