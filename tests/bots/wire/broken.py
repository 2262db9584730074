"""Deliberately broken bots on the raw protocol, each wrong in one way: python broken.py KIND HOST PORT.

Each class spoils one thing of `Bot`, which is right. What each is to be caught at stands in
tests/remote/test_checker.py.
"""

import os
import socket
import subprocess
import sys
import time

from right import Bot, Closed

# How it connects and names itself.


class NeverConnects(Bot):
    """Ends before it has connected (see `main`)."""


class NumericHostOnly(Bot):
    """Takes the host for an address (see `main`)."""


class LongName(Bot):
    """States more bytes than its name has."""

    name = b"NME\x0aright"


class ShortName(Bot):
    """States fewer bytes than its name has."""

    name = b"NME\x02right"


class Nameless(Bot):
    """Sends its name without the packet's head."""

    name = b"right"


class OddName(Bot):
    name = b"NME\x06\xc3\xa9\xc3\xa9\xc3\xa9"


# What it answers, and when.


class Silent(Bot):
    def answer(self):
        pass


class Crash(Bot):
    def answer(self):
        raise RuntimeError("no opening book")


class Garbage(Bot):
    def answer(self):
        self.server.sendall(b"MOVE 1 2 3")


class Unfinished(Bot):
    """Counts bytes where moves are to be counted."""

    def answer(self):
        self.server.sendall(b"MOV\x05" + bytes(self.move()))


class Slow(Bot):
    def answer(self):
        time.sleep(0.7)
        super().answer()


class TwoAnswers(Bot):
    def answer(self):
        super().answer()
        time.sleep(0.1)
        super().answer()


class Eager(Bot):
    """Moves as soon as it knows the map."""

    def mapped(self):
        self.answer()


class LastWord(Bot):
    """Sends one more MOV after END."""

    def end(self):
        self.answer()
        return True


class Flood(Bot):
    def answer(self):
        super().answer()
        time.sleep(0.1)
        self.server.sendall(b"MOV\x01\x00\x00\x01\x00\x01" * 100_000)


# Which turns it plays.


class WrongByteOrder(Bot):
    """Rows before columns."""

    def move(self):
        x, y, count, tx, ty = super().move()
        return (y, x, count, ty, tx)


class CountLast(Bot):
    def move(self):
        x, y, count, tx, ty = super().move()
        return (x, y, tx, ty, count)


class MoreThanItHas(Bot):
    def move(self):
        x, y, count, tx, ty = super().move()
        return (x, y, count + 1, tx, ty)


class Greedy(Bot):
    """Two moves that are each legal, and together are not."""

    def moves(self):
        return [self.move(), self.move()]


class NoMove(Bot):
    def moves(self):
        return []


class NoCreature(Bot):
    def move(self):
        x, y, _, tx, ty = super().move()
        return (x, y, 0, tx, ty)


class Stay(Bot):
    """Source and target are the same."""

    def move(self):
        x, y, count, _, _ = super().move()
        return (x, y, count, x, y)


class Leap(Bot):
    """Two steps in one, towards the middle."""

    def move(self):
        x, y, count = self.group()
        return (x, y, count, x + 2 if x < self.columns // 2 else x - 2, y)


class OverTheEdge(Bot):
    """Always to the right."""

    def move(self):
        x, y, count = self.group()
        return (x, y, count, x + 1, y)


class Forgetful(Bot):
    """Does not look at UPD."""

    def update(self, cells):
        pass


class Thief(Bot):
    """Moves the other species."""

    def species(self):
        return 3 - super().species()


class AlwaysVampires(Bot):
    """Takes the first to connect for the Vampires."""

    def species(self):
        return 1


class VampiresBegin(Bot):
    """Guesses its species from the first UPD: who gets an empty one begins, and must be the Vampires."""

    def update(self, cells):
        if self.turns == 0 and len(cells) < 5:
            self.me = 2 if cells else 1
        super().update(cells)


# Which maps and numbers it can take.


class SignedBytes(Bot):
    """Reads counts as signed bytes."""

    def receive_cells(self):
        cells = super().receive_cells()
        return {at: tuple(n - 256 if n > 127 else n for n in content) for at, content in cells.items()}


class SmallGrid(Bot):
    """Has room for 100 × 100."""

    def update(self, cells):
        super().update(cells)
        grid = [[0] * 100 for _ in range(100)]
        for (x, y), content in self.board.items():
            grid[y][x] = content


class NeedsHumans(Bot):
    def move(self):
        max(content[0] for content in self.board.values() if content[0])
        return super().move()


class NeedsRoom(Bot):
    """Goes to empty cells only."""

    def move(self):
        x, y, count, tx, ty = super().move()
        if any(self.board.get((tx, ty), ())):
            raise RuntimeError("nowhere to go")
        return (x, y, count, tx, ty)


class NeedsRows(Bot):
    """Walks up and down."""

    def move(self):
        x, y, count = self.group()
        return (x, y, count, x, y - 1 if y else y + 1)


class NeedsColumns(Bot):
    """Walks to and fro."""

    def move(self):
        x, y, count = self.group()
        return (x, y, count, x - 1 if x else x + 1, y)


class Adds(Bot):
    """Adds what UPD tells to what it knows, where a cell had something already."""

    def update(self, cells):
        if self.turns == 0:
            cells = {
                at: tuple(map(sum, zip(cells[at], self.board.get(at, (0, 0, 0)), strict=True)))
                for at in cells
            }
        super().update(cells)


# What it does when it loses.


class GivesUp(Bot):
    """Moves nobody where the others are more than three times as many."""

    def moves(self):
        own, others = (
            sum(content[species] for content in self.board.values()) for species in (self.me, 3 - self.me)
        )
        return [] if others > 3 * own else super().moves()


class NoAttack(Bot):
    """Goes only where no enemy is."""

    def moves(self):
        move = self.move()
        return [] if self.board.get(move[3:], (0, 0, 0))[3 - self.me] else [move]


class LeavesAGuard(Bot):
    """Always leaves one creature behind."""

    def move(self):
        x, y, count, tx, ty = super().move()
        return (x, y, count - 1, tx, ty)


# How it reads.


class OneReceive(Bot):
    """Takes each receive for whole packets, and forgets what is cut off."""

    arrived = b""

    def receive(self, size):
        if size and not self.arrived:
            self.arrived = self.server.recv(4096)
            if not self.arrived:
                raise Closed
        data, self.arrived = self.arrived[:size], self.arrived[size:]
        if len(data) < size:
            raise RuntimeError("a packet is too short")
        return data


class OnePacket(Bot):
    """Takes each receive after MAP for one packet, and forgets what follows it."""

    def mapped(self):
        self.server.setblocking(False)
        try:
            self.server.recv(4096)
        except BlockingIOError:
            pass
        finally:
            self.server.setblocking(True)


class TwoReceives(Bot):
    """Wants SET, HUM and HME in one receive."""

    arrived = b""

    def receive(self, size):
        if self.home == (0, 0) and not self.arrived:
            self.arrived = self.server.recv(4096)
            if b"HME" not in self.arrived:
                raise RuntimeError("where is HME?")
        if self.arrived:
            data, self.arrived = self.arrived[:size], self.arrived[size:]
            return data + super().receive(size - len(data))
        return super().receive(size)


class WholeUpdates(Bot):
    """Wants every UPD in one receive."""

    def receive_cells(self):
        if not self.board:
            return super().receive_cells()
        data = self.server.recv(4096)
        if not data:
            raise Closed
        if len(data) != 1 + 5 * data[0]:
            raise RuntimeError("UPD is too short")
        rows = [data[at : at + 5] for at in range(1, len(data), 5)]
        return {(x, y): (humans, vampires, werewolves) for x, y, humans, vampires, werewolves in rows}


# How it ends.


class OneGame(Bot):
    """Leaves after END."""

    def end(self):
        return False


class OldBoard(Bot):
    """Keeps the size and the species of the first game."""

    first = 0

    def species(self):
        self.first = self.first or super().species()
        return self.first


class NeverEnds(Bot):
    """Does not leave after BYE."""

    def bye(self):
        return True


class WaitsForEnd(Bot):
    """Takes BYE for the end only where END came before it."""

    ended = False

    def end(self):
        self.ended = True
        return True

    def bye(self):
        return not self.ended


class ReadsOn(Bot):
    """Does not see that the connection is closed (see `main`)."""


class LeavesAChild(Bot):
    """Ends in time, its child does not."""

    def bye(self):
        subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"])
        return False


def main():
    kind, host, port = sys.argv[1], sys.argv[-2], int(sys.argv[-1])
    if kind == "NeverConnects":
        sys.exit("not today")
    if kind == "NumericHostOnly":
        socket.inet_aton(host)
    with socket.create_connection((host, port)) as server:
        try:
            globals()[kind](server).run()
        except ConnectionError:
            if kind == "ReadsOn":
                time.sleep(600)
    sys.stdout.flush()
    os._exit(0)  # quicker than an orderly end


if __name__ == "__main__":
    main()
