"""Bots that want more than they may have: as classes, and as programs: python hostile.py KIND FOLDER HOST PORT.

Each does its deed when it is first on move. All deeds are bounded: should nobody stop one, the machine survives it.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

MIB = 2**20
LONG = 300.0


def hang(folder):
    """Think for ever."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        pass


def flood(folder):
    """Print and print."""
    for _ in range(256):
        print("x" * MIB)


def fork(folder):
    """Children that leave, each into a session of its own."""
    for _ in range(60):
        if os.fork() == 0:
            os.setsid()
            time.sleep(LONG)
            os._exit(0)
    time.sleep(LONG)


def fill(folder):
    """One file after the other."""
    for number in range(200):
        Path(folder, f"{os.getpid()}-{number}").write_bytes(bytes(MIB))
        time.sleep(0.005)
    time.sleep(LONG)


def hoard(folder):
    """All the memory there is."""
    held = [bytes([1]) * MIB for _ in range(1500)]
    time.sleep(LONG)
    return held


def leave(folder):
    os._exit(3)


def ignore(folder):
    """Be told to end, and sleep on; so does a child."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-I", "-S", "-c", f"import time; time.sleep({LONG})"])
    time.sleep(LONG)


class Hostile:
    """The class's side of it."""

    def __init__(self, folder: str = ""):
        self.folder = folder

    def choose(self, state, clock):
        self.deed(self.folder)
        return next(iter(state.candidates()))


class Hang(Hostile):
    deed = staticmethod(hang)


class Flood(Hostile):
    deed = staticmethod(flood)


class Fork(Hostile):
    deed = staticmethod(fork)


class Fill(Hostile):
    deed = staticmethod(fill)


class Hoard(Hostile):
    deed = staticmethod(hoard)


class Leave(Hostile):
    deed = staticmethod(leave)


class Ignore(Hostile):
    deed = staticmethod(ignore)


def main():
    sys.path.insert(0, str(Path(__file__).parent / "wire"))
    from right import Bot

    kind, folder, host, port = sys.argv[1:]
    deed = globals()[kind].deed

    class Program(Bot):
        def answer(self):
            deed(folder)
            super().answer()

    with socket.create_connection((host, int(port))) as server:
        Program(server).run()


if __name__ == "__main__":
    main()
