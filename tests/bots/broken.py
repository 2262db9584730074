"""Deliberately broken bots: whatever they do must cost nobody else anything."""

import os
import sys
import time


def harmless(state):
    """The first candidate that does not end the game."""
    for action in state.candidates():
        if all(outcome.state.result is None for outcome in state.outcomes(action, brief=True)):
            return action
    return next(iter(state.candidates()))


class Crash:
    def choose(self, state, clock):
        return {}["no such key"]


class CrashAtLength:
    """Puts all there is into its exception."""

    def choose(self, state, clock):
        raise ValueError("board: " + "x" * 5_000_000)


class CrashWordlessly:
    """Raises what cannot even be told."""

    class WordlessError(Exception):
        def __str__(self):
            raise RuntimeError("no words")

    def choose(self, state, clock):
        raise self.WordlessError


class CrashLater:
    """Plays three turns, then raises."""

    turns = 0

    def choose(self, state, clock):
        self.turns += 1
        if self.turns > 3:
            raise RuntimeError("that is enough")
        return harmless(state)


class Hang:
    def choose(self, state, clock):
        while True:
            pass


class HangOnce:
    """Sleeps through its first turn; plays from then on."""

    turns = 0

    def choose(self, state, clock):
        self.turns += 1
        if self.turns == 1:
            time.sleep(clock.seconds * 1.5)
        return harmless(state)


class Blanks:
    """Answers with a great many blanks."""

    def choose(self, state, clock):
        return " " * 1_000_000 + "x"


class Megaphone:
    """Answers, and adds a thought that no pipe should have to carry."""

    def choose(self, state, clock):
        from noctagon.core.player import Decision, Thought

        return Decision(harmless(state), Thought(note="x" * 5_000_000))


class Exit:
    def choose(self, state, clock):
        sys.exit(3)


class Die:
    def choose(self, state, clock):
        os._exit(7)


class NoEnd:
    """An answer that no pipe should have to carry."""

    def choose(self, state, clock):
        return "x" * 5_000_000


class Garbage:
    def choose(self, state, clock):
        return object()


class Nothing:
    def choose(self, state, clock):
        return None


class NoMove:
    def choose(self, state, clock):
        return []


class Halves:
    """Counts half a group with `/`."""

    def choose(self, state, clock):
        return [(8, 6, 8 / 2, 7, 6)]


class OneMove:
    """Forgets the list around its one move."""

    def choose(self, state, clock):
        return (8, 6, 8, 7, 6)


class Illegal:
    """An action of the right form that is never legal."""

    def choose(self, state, clock):
        return "A0 E4" if "Attacker" in state.sides else "0,0>9,9:1"


class Flood:
    """Prints all the time, also raw bytes onto what should be the pipe."""

    def choose(self, state, clock):
        for _ in range(2000):
            print("x" * 1000)
            print("y" * 1000, file=sys.stderr)
        os.write(1, b"\x00\x01\x02")
        return harmless(state)


class Unprepared:
    def __init__(self):
        raise ValueError("no opening book")

    def choose(self, state, clock):
        raise AssertionError


class Deaf:
    """No choose at all."""


class Clockless:
    """A choose that forgot the clock."""

    def choose(self, state):
        return state.candidates()[0]


class Child:
    """Leaves a child behind that would outlive it."""

    def choose(self, state, clock):
        import subprocess

        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print(f"child {child.pid}", flush=True)
        raise RuntimeError(f"child {child.pid}")


class Good:
    """Plays the first candidate, and can be told how deep to pretend to think."""

    def __init__(self, depth: int = 1):
        self.depth = depth

    def start(self, game, side):
        self.side = side

    def choose(self, state, clock):
        assert state.side == self.side
        assert 0 < clock.remaining() <= clock.seconds
        from noctagon.core.player import Decision, Thought

        return Decision(harmless(state), Thought(depth=self.depth))


class CrashFirst:
    """Crashes in the first turn of its life."""

    turns = 0

    def choose(self, state, clock):
        self.turns += 1
        if self.turns == 1:
            raise RuntimeError("not yet")
        return harmless(state)


class CrashOnFinish:
    def choose(self, state, clock):
        return harmless(state)

    def finish(self, result):
        raise RuntimeError("a bad loser")


class HangOnFinish:
    def choose(self, state, clock):
        return harmless(state)

    def finish(self, result):
        print("it will take a while")
        time.sleep(600)


class Chronicler:
    """Takes its time for each turn, and again to write down how the game ended."""

    def __init__(self, file: str, seconds: float = 0.0):
        self.file = file
        self.seconds = seconds

    def choose(self, state, clock):
        time.sleep(self.seconds)
        return harmless(state)

    def finish(self, result):
        from pathlib import Path

        time.sleep(0.3)
        with Path(self.file).open("a") as file:
            print(result.reason, file=file)


class HangFirst:
    """Sleeps through the first turn of its life."""

    turns = 0

    def choose(self, state, clock):
        self.turns += 1
        if self.turns == 1:
            time.sleep(600)
        return harmless(state)


class NumpyThought:
    def choose(self, state, clock):
        import numpy

        from noctagon.core.player import Decision, Thought

        return Decision(harmless(state), Thought(score=numpy.float64(1.5), nodes=numpy.int64(3)))


class Surrogate:
    def choose(self, state, clock):
        return "\udcff"


class Verbose:
    """A turn of a hundred thousand moves."""

    def choose(self, state, clock):
        return [(x % 10, x % 7, 1, (x + 1) % 10, x % 7) for x in range(100_000)]


class Chatty:
    """Says which turn it is, and then fails as it was told to."""

    def __init__(self, fault: str = "none"):
        self.fault = fault

    def choose(self, state, clock):
        print(f"it is ply {state.ply}")
        if self.fault == "late":
            time.sleep(600)
        return "banana" if self.fault == "illegal" else harmless(state)


class Painter:
    """Prints, notes and raises what would clear the screen and rename the window."""

    paint = "\x1b[2J\x1b]0;owned\x07"

    def choose(self, state, clock):
        from noctagon.core.player import Decision, Thought

        print(f"\tlook: {self.paint}")
        if state.ply < 2:
            return Decision(harmless(state), Thought(note=self.paint))
        raise ValueError(self.paint)


class Reckless:
    """Looks ahead with an action that is not legal."""

    def choose(self, state, clock):
        return state.play((0, 24))


class Needy:
    """Cannot be made without an option."""

    def __init__(self, book):
        self.book = book

    def choose(self, state, clock):
        return harmless(state)
