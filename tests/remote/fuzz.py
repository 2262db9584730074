"""Any bytes at all to the server: every conversation ends in a game that was played, or a player that never was."""

import asyncio
from collections import Counter
from random import Random
from typing import Any

from noctagon.core.clock import TimeControl
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec
from noctagon.core.seat import LocalSeat, drive
from noctagon.games.vampires import game
from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.games.vampires.wire import connection as connection_module
from noctagon.games.vampires.wire import seat as wire
from noctagon.games.vampires.wire.connection import PlayerConnection
from noctagon.games.vampires.wire.packets import Mov, Nme, encode
from noctagon.games.vampires.wire.seat import WireSeat
from noctagon.players import make_player
from noctagon.wire.tcp import Gone


class Pipe(asyncio.Transport):
    """A network of our own: answers whatever the server writes with the next piece of the conversation."""

    def __init__(self, pieces: list[bytes], rng: Random) -> None:
        super().__init__()
        self.pieces = pieces
        self.rng = rng
        self.protocol: Any = None
        self.closed = False

    def write(self, data: Any) -> None:
        if b"UPD" in bytes(data) and not self.closed:
            if self.pieces:
                piece = self.pieces.pop(0)
                cut = self.rng.randrange(len(piece) + 1)
                asyncio.get_running_loop().call_soon(self.deliver, piece[:cut])
                asyncio.get_running_loop().call_soon(self.deliver, piece[cut:])
            else:
                asyncio.get_running_loop().call_soon(self.lose)

    def deliver(self, data: bytes) -> None:
        if data and not self.closed:
            self.protocol.data_received(data)

    def lose(self) -> None:
        if not self.closed:
            self.closed = True
            self.protocol.connection_lost(None)

    def close(self) -> None:
        self.lose()

    def is_closing(self) -> bool:
        return self.closed

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default


def garbage(rng: Random) -> bytes:
    """Random bytes, or a real turn, cut or mutated or glued to others."""
    if rng.random() < 0.2:
        return rng.randbytes(rng.randrange(60))
    moves = [(rng.randrange(3), rng.randrange(3), rng.randrange(5), rng.randrange(3), rng.randrange(3))]
    whole = bytearray(
        b"".join(encode(Mov(tuple(moves * rng.randrange(3)))) for _ in range(rng.randrange(1, 3)))
    )
    for _ in range(rng.choice((0, 0, 1, 2))):
        whole[rng.randrange(len(whole))] = rng.randrange(256)
    return bytes(whole[: rng.randrange(len(whole) + 1)] if rng.random() < 0.2 else whole)


async def fuzz(conversations: int, seed: int) -> Counter[str]:
    """How that many conversations ended."""
    game.load()
    rng = Random(seed)
    before = wire.PAUSE, connection_module.NAME_GRACE
    wire.PAUSE, connection_module.NAME_GRACE = 0.0, 0.001
    try:
        return Counter([await converse(rng) for _ in range(conversations)])
    finally:
        wire.PAUSE, connection_module.NAME_GRACE = before


async def converse(rng: Random) -> str:
    """One game of a player that sends garbage against one of ours."""
    pipe = Pipe([garbage(rng) for _ in range(rng.randrange(4))], rng)
    player = PlayerConnection(lambda connection: None)
    pipe.protocol = player
    player.connection_made(pipe)
    name = encode(Nme(rng.randbytes(rng.randrange(8))))
    pipe.deliver(name if rng.random() < 0.9 else garbage(rng))
    try:
        await player.named(0.005)
    except Gone:
        return "no name"
    rules = VampiresRules(name="server", plies=8)
    match = Match(game, game.initial("tiny", rules), time=TimeControl(turn=0.002), lenient=rng.random() < 0.2)
    ours = LocalSeat(make_player(PlayerSpec.parse("random"), game), timed=False)
    async with asyncio.timeout(10):
        result = await drive(match, (WireSeat(player), ours))
    assert match.record().final() == match.state
    return result.reason
