"""The seat of a program for the wargame: started with the address of a broker of its own."""

from __future__ import annotations

import asyncio
import contextlib

from noctagon.core.events import Event, Played
from noctagon.core.game import NoctagonError, Result, Side
from noctagon.core.limits import Limits
from noctagon.core.match import Request
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.core.seat import Answer, Answered, Broke, Missed
from noctagon.games.wargame.rules.units import SIDES
from noctagon.games.wargame.wire.broker import CORS, respond
from noctagon.games.wargame.wire.http import ROUNDS, serving
from noctagon.games.wargame.wire.relay import Relay
from noctagon.processes.command import CommandSeat
from noctagon.processes.deadline import wait_until

LOOPBACK = "127.0.0.1"


class BrokerCommandSeat(CommandSeat):
    """A program that plays through a broker of its own.

    `{url}`, `{side}` and `{other}` in its command are filled in: some programs are told the side of the other player.
    """

    def __init__(self, spec: PlayerSpec, limits: Limits | None = None) -> None:
        super().__init__(spec, limits)
        self.relay: Relay | None = None
        self._serving = contextlib.AsyncExitStack()
        if not any("{url}" in word for word in self.words):
            raise NoctagonError(
                f"{spec}: a program for the wargame is told its broker by {{url}} in the command"
            )

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        await self.close()
        relay = self.relay = Relay(start.state, side)
        host, port = await self._serving.enter_async_context(
            serving(lambda request: respond(relay, request), LOOPBACK, 0, headers=CORS)
        )
        filled = {
            "{url}": f"http://{host}:{port}/game/{relay.name}",
            "{side}": SIDES[side].lower(),
            "{other}": SIDES[1 - side].lower(),
        }
        try:
            await self._launch([_fill(word, filled) for word in self.words])
        except NoctagonError as error:
            return Broke(str(error))
        return None

    async def converse(self, request: Request) -> Answer:
        assert self.relay is not None
        assert self.launched is not None
        loop = asyncio.get_running_loop()
        answering = asyncio.create_task(self.relay.answer(request.state))
        ended = asyncio.create_task(self.launched.wait())
        asked_at, seconds = loop.time(), request.seconds
        try:
            deadline = None if seconds is None else asked_at + seconds
            in_time = await wait_until(deadline, answering, ended, rounds=ROUNDS)
            took = loop.time() - asked_at
        finally:
            for task in (answering, ended):
                task.cancel()
        if answering.done() and not answering.cancelled():
            return Answered(answering.result(), seconds=took if seconds is None else min(took, seconds))
        return Broke("its program ended") if in_time else Missed()

    def observe(self, event: Event) -> None:
        if self.relay is not None:
            self.unasked = self.relay.unasked
            if isinstance(event, Played):
                self.relay.show(event.after)  # also the last move, which it will not be asked about

    async def finish(self, result: Result) -> None:
        await self._farewell()

    async def close(self) -> None:
        await self._serving.aclose()
        await super().close()


def _fill(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(name, value)
    return word
