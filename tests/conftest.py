"""What all tests share: the kernels and the champions are compiled once, before any worker starts."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

settings.register_profile("noctagon", deadline=None, derandomize=True)
settings.load_profile("noctagon")


def pytest_sessionstart(session: pytest.Session) -> None:
    only_kernels = session.config.getoption("markexpr") == "kernel"  # they compile what they need
    if not hasattr(session.config, "workerinput") and not only_kernels:  # the parent of the workers, or alone
        from noctagon.core.player import PlayerSpec
        from noctagon.core.registry import find_game
        from noctagon.players import make_player

        for name in ("vampires", "wargame"):
            game = find_game(name)
            game.load()
            make_player(PlayerSpec("champion"), game)


EXAMPLE = Path(__file__).parent.parent / "examples" / "tictactoe" / "tictactoe.py"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A fresh copy of the example's module, to be spoilt."""
    found = importlib.util.spec_from_file_location("spoilt_tictactoe", EXAMPLE)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    monkeypatch.setitem(sys.modules, "spoilt_tictactoe", module)
    monkeypatch.syspath_prepend(EXAMPLE.parent)  # its wire is a module of its own
    found.loader.exec_module(module)
    return module
