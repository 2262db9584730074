"""Many games at once in one server: `python bench/load.py [GAMES] [PLIES] [--quick]`.

Scripted clients in a process of their own think a random 50 to 500 ms, with `--quick` not at all. Measured in the
server: the delay from the read that completes a MOV to the next UPD written, memory per game, and processor time per
turn, which hardly depends on what else the machine does.
"""

import asyncio
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent))

from noctagon.core.events import Event
from noctagon.core.match import Match
from noctagon.core.wire import ServerTable, Watcher
from noctagon.games.vampires import game
from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.games.vampires.wire import connection
from noctagon.games.vampires.wire.packets import Mov, Packet, Upd
from noctagon.games.vampires.wire.seat import WireSeat
from noctagon.wire.server import ServerOptions, TableServer


class Watched(connection.PlayerConnection):
    """A connection that notes when its answer was complete; the next request at that table gives the delay."""

    delays: list[float] = []
    completed: dict[int, float] = {}
    partner: dict[int, int] = {}

    def _take(self, packet: Packet) -> None:
        super()._take(packet)
        if isinstance(packet, Mov):
            Watched.completed[id(self)] = time.perf_counter()

    def send(self, *packets: Packet) -> None:
        super().send(*packets)
        if any(isinstance(packet, Upd) for packet in packets):
            began = Watched.completed.pop(Watched.partner.get(id(self), 0), None)
            if began is not None:
                Watched.delays.append(time.perf_counter() - began)


async def clients(port: int, count: int, *, think: bool) -> None:
    from tests.remote.test_server import Client

    async def one(number: int) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        client = Client(reader, writer)
        client.rng = Random(number)
        rng = Random(number)
        played = 0
        client.send(connection.Nme(b"Load"))
        while (packet := await client.receive()) is not None:
            if isinstance(packet, Upd):
                if think:
                    await asyncio.sleep(rng.uniform(0.05, 0.5))
                client.send(client.turn())
            elif type(packet).__name__ == "End":
                played += 1
        writer.close()
        return played

    played = await asyncio.gather(*(one(number) for number in range(count)))
    assert played == [1] * count, f"{played.count(1)} of {count} clients saw their game end"


def memory() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


async def serve(games: int, plies: int, *, quick: bool) -> None:
    options = ServerOptions(port=0, map="duel", tables=games, rules=VampiresRules(name="server", plies=plies))
    server = TableServer(game.wire(), options)
    matches: list[Match] = []
    listening = asyncio.Event()

    class Games(Watcher):
        def listening(self, where: str) -> None:
            listening.set()

        def happened(self, table: ServerTable, event: Event) -> None:
            one, other = (seat.connection for seat in table.seats)  # type: ignore[attr-defined]
            Watched.partner.update({id(one): id(other), id(other): id(one)})

        def finished(self, table: ServerTable, match: Match) -> None:
            matches.append(match)

    server.watchers.append(Games())
    server._connection = lambda: Watched(  # type: ignore[method-assign]
        lambda connection: server._arrived(WireSeat(connection))
    )
    before = memory()
    used = time.process_time()
    running = asyncio.create_task(server.run())
    await listening.wait()
    command = [sys.executable, __file__, "--clients", str(server.port), str(2 * games)]
    load = subprocess.Popen([*command, "--quick"] if quick else command)
    peak = before
    while not running.done():
        peak = max(peak, memory())
        await asyncio.sleep(0.25)
    await running
    used = time.process_time() - used
    assert load.wait() == 0, "a client was not served as it should be"
    assert len(matches) == games
    for match in matches:
        assert match.illegal == [0, 0]
        assert match.late == [0, 0]
        assert match.record().final() == match.state
    delays = sorted(Watched.delays)
    turns = sum(len(match.turns) for match in matches)
    print(f"{games} games at once, {turns} turns, none lost, late or illegal")
    print(
        f"processor time in the server: {1000 * used / turns:.3f} ms a turn, {turns / used:.0f} turns a second"
    )
    print(f"ended by {dict(Counter(match.result.reason for match in matches if match.result))}")
    print(f"MOV read to UPD written: median {1000 * delays[len(delays) // 2]:.2f} ms, ", end="")
    print(f"p99 {1000 * delays[int(len(delays) * 0.99)]:.2f} ms, worst {1000 * delays[-1]:.1f} ms")
    print(f"memory per game: {(peak - before) / games:.2f} MB")


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--quick"]
    quick = "--quick" in sys.argv
    if words[:1] == ["--clients"]:
        asyncio.run(clients(int(words[1]), int(words[2]), think=not quick))
    else:
        games, plies = [*map(int, words), *(200, 40)[len(words) :]]
        os.environ.setdefault("PYTHONUNBUFFERED", "1")
        asyncio.run(serve(games, plies, quick=quick))
