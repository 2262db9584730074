"""Many spectators of one game: check that all get every message in order, and measure how fast.

    python bench/web.py [--sockets 200] [--plies 200] [--url http://127.0.0.1:8642]

Without --url a server of its own is started, in a process of its own. The game is played by two persons, who are
this program: so the figures are the server's and this client's, not those of a player.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import httpx
import msgspec
from websockets.asyncio.client import connect

TO_AND_FRO = ("8,6>8,7:8", "1,3>1,4:8", "8,7>8,6:8", "1,4>1,3:8")
"""Two groups that walk up and down on the map `duel`."""


class Spectator:
    """One socket, with the turns that came and their times."""

    def __init__(self) -> None:
        self.turns: list[int] = []
        self.times: list[float] = []
        self.messages = self.bytes = 0
        self.ready = asyncio.Event()

    async def watch(self, url: str) -> None:
        async with connect(url, max_size=None, compression=None) as opened:
            async for text in opened:
                now = time.perf_counter()
                message = msgspec.json.decode(text)
                if "snapshot" in message:
                    self.ready.set()
                    continue
                self.messages += 1
                self.bytes += len(text)
                if "frame" in message:
                    self.turns.append(message["frame"]["n"])
                    self.times.append(now)
                if "end" in message:
                    return


async def measure(url: str, sockets: int, plies: int, rate: float) -> None:
    live = url.replace("http", "ws", 1)
    async with httpx.AsyncClient(base_url=f"{url}/api/v1", timeout=60) as client:
        new = {"game": "vampires", "setup": "duel", "players": ["human", "human"], "plies": plies}
        table = (await client.post("/tables", json=new)).raise_for_status().json()
        where = f"/tables/{table['id']}"
        spectators = [Spectator() for _ in range(sockets)]
        before = time.perf_counter()
        watching = [asyncio.create_task(one.watch(f"{live}/api/v1{where}/live")) for one in spectators]
        await asyncio.gather(*(one.ready.wait() for one in spectators))
        joined = time.perf_counter() - before
        sent = await play(client, where, table["keys"], plies, rate)
        await asyncio.gather(*watching)
    report(spectators, joined, sent, plies)


async def play(
    client: httpx.AsyncClient, where: str, keys: dict[str, str], plies: int, rate: float
) -> list[float]:
    """Play the whole game; return when each turn was sent."""
    sent = []
    for number in range(plies):
        side = number % 2
        body: dict[str, Any] = {"side": side, "key": keys[str(side)], "action": TO_AND_FRO[number % 4]}
        sent.append(time.perf_counter())
        (await client.post(f"{where}/turn", json=body)).raise_for_status()
        if rate:
            await asyncio.sleep(max(0.0, sent[0] + (number + 1) / rate - time.perf_counter()))
    return sent


def report(spectators: list[Spectator], joined: float, sent: list[float], plies: int) -> None:
    whole = sum(one.turns == list(range(1, plies + 1)) for one in spectators)
    seconds = max(one.times[-1] for one in spectators) - sent[0]
    messages = sum(one.messages for one in spectators)
    delays = sorted(
        (came - went) * 1000 for one in spectators for came, went in zip(one.times, sent, strict=True)
    )
    last = [max(one.times[turn] for one in spectators) - sent[turn] for turn in range(plies)]
    frame = statistics.mean(one.bytes / one.messages for one in spectators)
    print(f"{len(spectators)} sockets joined in {joined:.2f} s")
    print(f"{whole} of {len(spectators)} got all {plies} turns in order, none twice")
    print(
        f"{messages} messages in {seconds:.2f} s: {messages / seconds:,.0f} a second, {frame:.0f} bytes each"
    )
    print(f"{plies / seconds:.1f} turns a second, {messages / len(spectators) / plies:.2f} messages a turn")
    median, most = statistics.median(delays), delays[int(len(delays) * 0.95)]
    print(f"from sending a turn to a spectator: median {median:.1f} ms, 95 % {most:.1f} ms")
    print(f"from sending a turn to the last spectator: median {statistics.median(last) * 1000:.1f} ms")
    if whole != len(spectators):
        sys.exit(1)


@contextlib.contextmanager
def own_server() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "noctagon", "web", "--port", str(port), "--no-browser"]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/api/v1/preparation") as told:
                if msgspec.json.decode(told.read())["ready"]:
                    break
            time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sockets", type=int, default=200)
    parser.add_argument("--plies", type=int, default=200)
    parser.add_argument(
        "--rate", type=float, default=0.0, help="turns a second; 0: as fast as they are taken"
    )
    parser.add_argument("--url", default="")
    options = parser.parse_args()
    with contextlib.nullcontext(options.url) if options.url else own_server() as url:
        asyncio.run(measure(url, options.sockets, options.plies, options.rate))


if __name__ == "__main__":
    main()
