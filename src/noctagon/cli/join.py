"""`noctagon join`: a player of ours, or yours, on somebody's server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from noctagon.core.game import Game, Rules
    from noctagon.core.seat import Seat

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
            metavar="NAME", help="The rule set the server plays by: server, handout.", show_default=False
        ),
    ] = "",
    time: Annotated[
        float | None, typer.Option(help="Seconds for a turn; 2, wargame 5.", show_default=False)
    ] = None,
    plies: Annotated[
        int | None,
        typer.Option(help="The game ends after so many turns; 200, wargame 100.", show_default=False),
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

    by_http = host.lower().startswith(("http://", "https://"))
    if by_http and port is not None:
        raise NoctagonError(
            f"{host} {port}: a broker's port is part of its address, http://HOST:PORT/game/ID"
        )
    if bool(side) != by_http:
        raise NoctagonError(
            "a broker does not say which side is whose: --side attacker or --side defender"
            if by_http
            else "--side is for a broker's address, http://…; a server says itself which species is whose"
        )
    for option, value in (("--time", time), ("--patience", patience)):
        if value is not None and not 0 < value < 86400:
            raise NoctagonError(f"{option} {value:g}: more than 0 seconds, and less than a day")
    spec = PlayerSpec.parse(player)
    game = find_game("wargame" if by_http else "vampires")
    chosen = game.make_rules(rules or (None if by_http else "server"), plies=plies)
    visit = _Visit(game, spec, chosen, time or game.turn_seconds or 2.0, patience)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore it
    try:
        if by_http:
            asyncio.run(visit.broker(host, side, insist=reconnect))
        else:
            asyncio.run(visit.server(host, port or 5555, name or str(spec), reconnect=reconnect))
    except KeyboardInterrupt:
        print("noctagon: interrupted", file=sys.stderr)
        raise typer.Exit(0 if visit.games else 130) from None


class _Visit:
    """Who goes, and how long it thinks."""

    def __init__(self, game: Game[Any], spec: Any, rules: Rules, seconds: float, patience: float) -> None:
        self.game = game
        self.spec = spec
        self.rules = rules
        self.seconds = seconds
        self.patience = patience
        self.games = 0

    async def server(self, host: str, port: int, name: str, *, reconnect: bool) -> None:
        from noctagon.games.vampires import VampiresRules
        from noctagon.games.vampires.wire.client import Client

        assert isinstance(self.rules, VampiresRules)
        seat = await self._prepare()
        try:
            client = Client(
                seat,
                name=name,
                rules=self.rules,
                seconds=self.seconds,
                patience=self.patience,
                report=self._report,
                tell=_tell,
            )
            await (client.stay(host, port) if reconnect else client.play(host, port))
        finally:
            await seat.close()

    async def broker(self, url: str, side: str, *, insist: bool) -> None:
        from noctagon.core.game import UnknownName
        from noctagon.games.wargame import WargameRules
        from noctagon.games.wargame.wire.broker_client import BrokerClient

        sides = [name.lower() for name in self.game.sides]
        if side.lower() not in sides:
            raise UnknownName("side", side, sides)
        assert isinstance(self.rules, WargameRules)
        seat = await self._prepare()
        try:
            client = BrokerClient(
                seat,
                url,
                0 if side.lower() == sides[0] else 1,
                rules=self.rules,
                seconds=self.seconds,
                patience=self.patience,
                insist=insist,
                tell=_tell,
            )
            self._report(await client.play())
        finally:
            await seat.close()

    async def _prepare(self) -> Seat:
        """The player, with everything compiled and loaded before anybody's clock runs."""
        from noctagon.compiled import jit
        from noctagon.core.clock import TimeControl
        from noctagon.core.player import GameStart
        from noctagon.processes.thinking import thinking_seat, warm_up

        self.game.load()
        jit.complete()
        seat = thinking_seat(self.spec, self.game)
        try:
            state = self.game.initial(None, self.rules)
            await warm_up(seat, GameStart(state, TimeControl(turn=self.seconds)))
        except BaseException:
            await seat.close()
            raise
        return seat

    def _report(self, report: object) -> None:
        self.games += 1
        print(report, flush=True)


def _tell(line: str) -> None:
    import sys

    print(f"noctagon: {line}", file=sys.stderr, flush=True)
