"""Compilation before anybody waits for it: the rules at every start, the champions once on each machine.

A process of its own compiles the champions (`python -m noctagon.web.preparing`): the server stays small.
"""

from __future__ import annotations

import subprocess
import sys

from noctagon.compiled import cache
from noctagon.core.registry import broken_games, find_game, game_names

READY = "champions-are-compiled"
"""A mark in the folder of compiled code; with other code there is another folder."""
SECONDS = 0.05


def prepare() -> None:
    """Compile what the page needs, which is quick if it was done before."""
    for why in broken_games().values():
        print(f"noctagon: {why}; it is left out", file=sys.stderr)
    for name in game_names():
        find_game(name).load()
    folder = cache.folder()
    if folder is None or (folder / READY).exists():
        return
    done = subprocess.run([sys.executable, "-m", "noctagon.web.preparing"], check=False)
    if done.returncode == 0:
        (folder / READY).touch()


def main() -> None:
    """Let the champion of every game think for a moment."""
    from noctagon.web.analysing import analyse, check_analysis

    for name in game_names():
        game = find_game(name)
        position = game.format_position(game.initial())
        checked = check_analysis(name, position, None, None)
        for _ in analyse(checked, lines=2, seconds=SECONDS):
            pass


if __name__ == "__main__":
    main()
