"""What all tests share: the kernels and the champions are compiled once, before any worker starts."""

import pytest
from hypothesis import settings

settings.register_profile("noctagon", deadline=None, derandomize=True)
settings.load_profile("noctagon")


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):  # the parent of the workers, or the only process
        from noctagon.games import find_game
        from noctagon.player import PlayerSpec
        from noctagon.players import make_player

        for name in ("vampires", "wargame"):
            game = find_game(name)
            game.load()
            make_player(PlayerSpec("champion"), game)
