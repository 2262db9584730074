"""A player in a worker process: its answers as text, and what reaches the parent from a process that is not honest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from noctagon.core.registry import find_game
from noctagon.processes.play import play_game
from noctagon.processes.playing import Garbage, as_text

WARGAME = find_game("wargame")


@pytest.mark.parametrize("answer", [5, None, b"x", {"from": 1}], ids=repr)
def test_nonsense_is_no_action_even_where_a_game_writes_it_as_it_is(
    answer: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WARGAME, "format_action", lambda action: action)
    assert as_text(WARGAME, answer) == Garbage(repr(answer))


FORGER = """
import os, signal, stat
import msgspec

def send(body, size=None):
    '''Write a message wherever the parent may read it.'''
    for fd in range(3, 40):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode):
                os.write(fd, (len(body) if size is None else size).to_bytes(4, "big") + body)
        except OSError:
            pass

def done(number, value):
    return msgspec.msgpack.encode({"type": "Done", "number": number, "value": value})

class Forger:
    def __init__(self, victim=0):
        self.victim = victim
        if victim:  # "my process is that one": a parent that believes it ends it with the game
            send(done(1, {"pid": victim, "finishes": True}))

    def choose(self, state, clock):
        if self.victim:
            os.kill(os.getppid(), signal.SIGKILL)
        else:
            FORGERY
        return next(iter(state.actions()))
"""

FORGERIES = {
    "no message": "send(b'rubbish')",
    "no UTF-8": "send(done(2, None).replace(b'Done', b'D\\xff\\xfe\\xff'))",
    "lists in lists": "send(done(2, None)[:-1] + b'\\x91' * 20_000)",
    "a list without end": "send(done(2, None)[:-1] + b'\\xdd\\xff\\xff\\xff\\xff')",
    "another type": "send(done(2, {'type': 'os:system', 'action': 'true'}))",
    "a message for the worker": "send(msgspec.msgpack.encode({'type': 'Ask', 'function': 'os:abort'}))",
    "too large": "send(b'', size=2**32 - 1)",
    "an action in pieces": "send(done(2, {'type': 'Chosen', 'action': ['C4', 'C3'], 'thought': {}}))",
}


@pytest.mark.skipif(os.name != "posix", reason="the bot looks for pipes as POSIX has them")
@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_a_bot_that_writes_between_the_messages_loses(tmp_path: Path, forgery: str) -> None:
    (tmp_path / "forger.py").write_text(FORGER.replace("FORGERY", forgery))
    result = play_game("wargame", f"{tmp_path / 'forger.py'}:Forger", "random", time=20).result
    assert result is not None
    assert (result.winner, result.reason) == (1, "crash")
    assert "cannot be read" in result.detail or "a message of 4294967295 bytes" in result.detail


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there processes are seen")
def test_a_bot_that_passes_for_another_process_ends_alone(tmp_path: Path) -> None:
    (tmp_path / "forger.py").write_text(FORGER)
    reader = [sys.executable, "-c", "input()"]
    with subprocess.Popen(reader, stdin=subprocess.PIPE, start_new_session=True) as victim:
        spec = f"{tmp_path / 'forger.py'}:Forger:victim={victim.pid}"
        result = play_game("wargame", spec, "random", time=20).result
        victim.communicate(b"\n")
    assert victim.returncode == 0
    assert result is not None
    assert (result.winner, result.reason) == (1, "crash")
