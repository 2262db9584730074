"""Running games are shown beside the store while they are played, and nothing is left of them afterwards."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
import pytest

from noctagon.arena import running
from noctagon.arena.bout import Bout
from noctagon.arena.meetings import Meeting
from noctagon.arena.plan import make_plan
from noctagon.arena.running import play_shown, running_folder, running_games
from noctagon.arena.tournament import Tournament
from noctagon.core.events import Event
from noctagon.core.seat import Listener


def a_bout() -> Bout:
    content = {"game": "wargame", "players": ["greedy", "random"], "maps": "start", "plies": 6, "time": 60}
    return Tournament(make_plan(content, "test")).bouts(Meeting(1, "greedy", "random"))[0]


def test_a_game_is_shown_while_it_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "games.db-running"
    seen: list[list[running.RunningGame]] = []
    monkeypatch.setattr(running, "EVERY", 0.0)
    play = Bout.play

    def watched(bout: Bout, listen: Listener) -> object:
        def both(event: Event) -> None:
            listen(event)
            seen.append(running_games(folder, "cup"))

        return play(bout, both)

    monkeypatch.setattr(Bout, "play", watched)
    game = play_shown(a_bout(), "cup", folder)
    assert game.plies == 6
    plies = [shown.position.split()[-1] for [shown] in seen[:6]]
    assert plies == ["1", "2", "3", "4", "5", "6"]
    assert seen[0][0].players == ("greedy", "random")
    assert not folder.exists()
    assert running_games(folder, "cup") == []


def test_what_a_killed_program_left_is_not_shown(tmp_path: Path) -> None:
    bout = a_bout()
    shown = running.RunningGame(
        tournament="cup",
        slot=bout.slot,
        game=bout.game,
        players=("a", "b"),
        setup="start",
        rules=bout.rules,
        position=bout.position,
        turn_seconds=1.0,
        since="2026-11-15",
    )
    file = tmp_path / "one.json"
    file.write_bytes(msgspec.json.encode(shown))
    (tmp_path / "other.json").write_text("{")
    assert running_games(tmp_path, "cup") == [shown]
    assert running_games(tmp_path, "other") == []
    long_ago = time.time() - 60
    os.utime(file, (long_ago, long_ago))
    assert running_games(tmp_path, "cup") == []


def test_only_a_file_has_a_place_beside_it() -> None:
    assert running_folder(None) == Path("noctagon.db-running")
    assert running_folder("cup.db") == Path("cup.db-running")
    assert running_folder("postgresql://host/games") is None
    assert running_games(None, "cup") == []
