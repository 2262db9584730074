"""Any bytes at all to our client: every conversation ends in a clear error or in a game.

python -m tests.remote.fuzz_client 100000
"""

import asyncio
import contextlib
import sys
from collections import Counter
from random import Random

from noctagon.core.game import NoctagonError
from noctagon.games.vampires import game
from noctagon.games.vampires.wire.client import TcpClient
from noctagon.games.vampires.wire.gameview import GameReport
from noctagon.games.vampires.wire.packets import Bye, CellContent, End, Packet, Upd, encode
from tests.remote.scripted import Peer, Simple, opening, serving

AT_ONCE = 20


async def fuzz(conversations: int, seed: int) -> Counter[str]:
    """How that many conversations ended: by game or error."""
    game.load()
    endings: Counter[str] = Counter()
    for first in range(0, conversations, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, conversations))
        endings.update(await asyncio.gather(*(converse(Random(f"{seed}/{number}")) for number in numbers)))
    return endings


async def converse(rng: Random) -> str:
    """One server that sends spoilt bytes, in pieces, and then nothing more."""
    data = spoilt(rng)

    async def script(peer: Peer) -> None:
        size = rng.choice([1, 7, 64, 4096])
        for at in range(0, len(data), size):
            if peer.writer.is_closing():
                return
            peer.writer.write(data[at : at + size])
            if rng.random() < 0.1:
                await asyncio.sleep(rng.choice([0, 0.006]))
        with contextlib.suppress(OSError):
            await peer.writer.drain()
            peer.writer.write_eof()
            while await asyncio.wait_for(peer.reader.read(65536), 10):
                pass

    reports: list[GameReport] = []
    client = TcpClient(Simple(), seconds=0.5, patience=1.0, grace=0.01, report=reports.append)
    async with serving(script) as port:
        try:
            await asyncio.wait_for(client.play("127.0.0.1", port), 10)
        except NoctagonError:
            return "error"
    assert reports
    return "game"


def conversation(rng: Random) -> bytes:
    """What a real server might send: a game or two."""
    packets: list[Packet] = []
    for _ in range(rng.randint(1, 2)):
        packets += opening(rng.choice(["vampires", "werewolves"]))
        for _ in range(rng.randint(0, 4)):
            cells = [
                CellContent(rng.randrange(5), rng.randrange(4), *rng.sample([rng.randrange(256), 0, 0], 3))
                for _ in range(rng.randint(0, 5))
            ]
            packets.append(Upd(tuple(cells)))
        packets.append(End())
    packets.append(Bye())
    return b"".join(map(encode, packets))


def spoilt(rng: Random) -> bytes:
    """Random bytes, or a real conversation that was truncated, mutated, or said twice in part."""
    data = bytearray(conversation(rng))
    match rng.randrange(5):
        case 0:
            return rng.randbytes(rng.randrange(200))
        case 1:
            del data[rng.randrange(len(data)) :]
        case 2:
            for _ in range(rng.randint(1, 6)):
                data[rng.randrange(len(data))] = rng.randrange(256)
        case 3:
            start = rng.randrange(len(data))
            data[start:start] = data[rng.randrange(len(data)) :]
        case 4:
            start = rng.randrange(len(data))
            del data[start : start + rng.randint(1, 20)]
    return bytes(data)


if __name__ == "__main__":
    print(dict(asyncio.run(fuzz(int(sys.argv[1]), seed=0))))
