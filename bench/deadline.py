"""Turns of `noctagon join` that come late: `python bench/deadline.py [--load 1 5 20] [--stop 1.69 1.965]`.

A server like the course's asks for turns, on a machine on which so many processes keep busy. It gives each turn its
time and no more, and takes whatever comes later for the answer to its next question: such an answer is *stale*. With
`--stop` the client's process is stopped in this part of every tenth turn.
"""

import argparse
import contextlib
import os
import select
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from random import Random

from noctagon.core.game import IllegalAction
from noctagon.games.vampires import VampiresState, game
from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.games.vampires.wire.packets import (
    FROM_PLAYER,
    Bye,
    CellContent,
    Decoder,
    End,
    Hme,
    Hum,
    Map,
    Mov,
    Packet,
    Set,
    Upd,
    encode,
)

OPPONENT_SECONDS = 0.1
"""Seconds that the other side takes for its turn: it stays where it is."""
STOP_EVERY = 10


class Server:
    """The course's server, with a player that never moves on the other side."""

    def __init__(
        self, player: socket.socket, pid: int, seconds: float, stop: tuple[float, float] | None
    ) -> None:
        self.player = player
        self.pid = pid
        self.seconds = seconds
        self.stop = stop
        self.decoder = Decoder(FROM_PLAYER)
        self.inbox: list[Packet] = []
        self.used: list[float] = []
        self.late = self.stale = self.illegal = self.stopped = 0
        self.owed = self.turns = 0
        self.dice = Random(1)

    def send(self, *packets: Packet) -> None:
        self.player.sendall(b"".join(map(encode, packets)))

    def receive(self, until: float) -> Packet | None:
        while not self.inbox:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.player], [], [], left)[0]:
                return None
            data = self.player.recv(65536)
            if not data:
                raise ConnectionError("the client has left")
            self.inbox += self.decoder.feed(data)
        return self.inbox.pop(0)

    def play(self, turns: int) -> None:
        self.receive(time.monotonic() + 60)
        while self.turns < turns:
            self.game(turns)
        self.send(Bye())

    def game(self, turns: int) -> None:
        """Play a game, at most until so many turns have been played in all."""
        state = game.initial("duel", VampiresRules(name="server"))
        assert isinstance(state, VampiresState)
        self.send(Set(state.rows, state.columns), Hum(tuple(state.humans)), Hme(*next(iter(state.vampires))))
        time.sleep(0.05)
        self.send(Map(tuple(content(state))))
        time.sleep(0.05)
        while state.result is None and self.turns < turns:
            self.turns += 1
            state = self.turn(state)
            time.sleep(OPPONENT_SECONDS)
            if state.result is None:
                state = state.skip()
        self.send(End())

    def turn(self, state: VampiresState) -> VampiresState:
        """Ask for a turn, and play the answer."""
        asked_at = time.monotonic()
        self.send(Upd(tuple(content(state))))
        if self.stop is not None and self.turns % STOP_EVERY == 0:
            self.stopped += 1
            threading.Thread(target=self.stop_it, args=(asked_at, *self.stop)).start()
        answer = self.receive(asked_at + self.seconds)
        if answer is None:
            self.late += 1
            self.owed += 1
            return state.skip()
        assert isinstance(answer, Mov)
        took = time.monotonic() - asked_at
        if self.owed and took < OPPONENT_SECONDS:  # it lay there already, or came at once
            self.stale += 1
        else:
            self.owed = 0
            self.used.append(took)
        try:
            return state.play(answer.moves, state.roll(answer.moves, self.dice))
        except IllegalAction:
            self.illegal += 1
            return state.skip()

    def stop_it(self, asked_at: float, begin: float, end: float) -> None:
        with contextlib.suppress(ProcessLookupError):  # it ends with its last game
            time.sleep(max(0.0, asked_at + begin - time.monotonic()))
            os.kill(self.pid, signal.SIGSTOP)
            time.sleep(max(0.0, asked_at + end - time.monotonic()))
            os.kill(self.pid, signal.SIGCONT)


def content(state: VampiresState) -> Iterator[CellContent]:
    """Yield the content of all cells: some servers send everything each time."""
    for y in range(state.rows):
        for x in range(state.columns):
            held = [kind.get((x, y), 0) for kind in (state.humans, state.vampires, state.werewolves)]
            yield CellContent(x, y, *held)


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep so many processes busy."""
    burning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()


@contextlib.contextmanager
def quick() -> Iterator[None]:
    """Run before all others, where that is allowed: the server stands for one on a machine of its own."""
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    try:
        yield
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, usual)


def measure(options: argparse.Namespace, load: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = str(listening.getsockname()[1])
        command = ["join", "--player", options.player, "--time", str(options.seconds), "127.0.0.1", port]
        client = subprocess.Popen(
            [sys.executable, "-m", "noctagon", *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        player, _ = listening.accept()
    player.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server = Server(player, client.pid, options.seconds, options.stop)
    with player, busy(load - 1), quick():  # the client searches, too
        server.play(options.turns)
        _, told = client.communicate(timeout=60)
    used = sorted(server.used) or [0.0]
    middle, least, most = statistics.median(used), used[0], used[-1]
    row = [
        f"load {load:>3}: {server.turns} turns, {server.late} late",
        f"{server.stale} stale, {server.illegal} illegal, {server.stopped} stopped",
        f"used of {options.seconds:g} s: median {middle:.2f}, least {least:.2f}, most {most:.3f}",
    ]
    print("; ".join(row), flush=True)
    for line in dict.fromkeys(told.splitlines()):
        print(f"    {line}", flush=True)


def main() -> None:
    reader = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    reader.add_argument("--turns", type=int, default=100)
    reader.add_argument("--seconds", type=float, default=2.0)
    reader.add_argument("--load", type=int, nargs="+", default=[1, 5, 20])
    reader.add_argument("--player", default="champion")
    reader.add_argument("--stop", type=float, nargs=2, metavar=("FROM", "UNTIL"))
    options = reader.parse_args()
    game.load()
    for load in options.load:
        measure(options, load)


if __name__ == "__main__":
    main()
