"""What a tournament says on the terminal when it is over."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from noctagon.arena.ledger import Ledger
from noctagon.arena.plan import make_plan
from noctagon.arena.store.store import Store
from noctagon.cli.records import show_command
from noctagon.cli.tournament_screen import final_table, standings_table
from tests.arena.games import a_game

PLAN = make_plan({"name": "cup", "players": ["greedy", "random"], "maps": ["duel"], "rounds": 2}, "test")


def test_who_is_out_and_why_and_where_to_look(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(tmp_path / "games.db") as store:
        store.save_plan("cup", "vampires", b"")
        for place in Ledger(PLAN).fixtures.values():
            game = a_game(
                slot=place.slot,
                players=(place.first, place.second),
                winner=int(place.first == "random"),
                reason="disconnected",
                detail="Vampires: disconnected; it ended with exit code 3",
            )
            store.add(game, "cup")
        ledger = Ledger(PLAN, store.finished("cup"))
        final_table(ledger, lambda game: show_command(store, None, "cup", game), rules=True)
    told = capsys.readouterr().out
    assert told.count("3 times in a row") == 1
    assert "random is out: went away 3 times in a row, the last time against greedy on duel: " in told
    assert "it ended with exit code 3; see noctagon records show 3\n" in told, "not the game it lost later"


def test_a_player_that_failed_once_stays_and_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    place = next(iter(Ledger(PLAN).fixtures.values()))
    game = a_game(slot=place.slot, players=(place.first, place.second), winner=0, reason="time")
    final_table(Ledger(PLAN, [game]), lambda game: "")
    assert f"\n{place.second} lost on time once, the last time against {place.first} on duel\n" in (
        capsys.readouterr().out
    )


def test_an_elo_of_nothing_has_no_sign(capsys: pytest.CaptureFixture[str]) -> None:
    draws = [
        a_game(slot=place.slot, players=(place.first, place.second), winner=None)
        for place in Ledger(PLAN).fixtures.values()
    ]
    final_table(Ledger(PLAN, draws), lambda game: "")
    assert [line.split()[7] for line in capsys.readouterr().out.splitlines()[3:5]] == ["0", "0"]


def test_wins_draws_and_losses_stand_under_their_heads(capsys: pytest.CaptureFixture[str]) -> None:
    plan = msgspec.structs.replace(PLAN, rounds=6)
    games = [
        a_game(slot=place.slot, players=(place.first, place.second), winner=int(place.first == "random"))
        for place in Ledger(plan).fixtures.values()
    ]
    final_table(Ledger(plan, games), lambda game: "")
    head, first, second = (line.split() for line in capsys.readouterr().out.splitlines()[2:5])
    assert head[3:6] == ["+", "=", "-"]
    assert first[2:7] == ["12", "12", "12", "0", "0"]  # points, games, won, drawn, lost
    assert second[2:7] == ["0", "12", "0", "0", "12"]


def test_points_without_a_game_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["greedy", "merge", "random"]
    plan = make_plan(
        {"name": "cup", "players": names, "maps": ["duel"], "format": "swiss", "rounds": 1}, "test"
    )
    games = [
        a_game(slot=place.slot, players=(place.first, place.second), winner=0)
        for place in Ledger(plan).fixtures.values()
    ]
    final_table(Ledger(plan, games), lambda game: "")
    head, *_, last = (line.split() for line in capsys.readouterr().out.splitlines()[2:])
    assert head[:4] == ["Player", "Points", "Byes", "Games"]
    assert last[1:4] == ["2", "2", "0"]  # nobody has a place without a game


def test_a_narrow_terminal_has_what_matters_whole() -> None:
    names = ["alphabeta:depth=3,heuristic=e2", "random"]
    players = [{"spec": "random", "name": name} for name in names]
    plan = make_plan(
        {"name": "cup", "players": players, "maps": ["duel"], "rounds": 60, "bonus": [3]}, "test"
    )
    games = [
        a_game(
            slot=place.slot,
            players=(place.first, place.second),
            winner=int(place.first == "random"),
            late=(2, 3),
            illegal=(1, 1),
        )
        for place in Ledger(plan).fixtures.values()
    ]
    standings = Ledger(plan, games).standings()
    narrow = Console(width=72, record=True)
    narrow.print(standings_table(standings, narrow.width))
    head, first, second = narrow.export_text().splitlines()
    assert max(map(len, (head, first, second))) <= 72
    assert head.split() == ["Player", "Points", "+", "=", "-", "Elo", "Late", "Illegal", "Faults"]
    assert first.split()[0] == "1"
    assert {"120", "0"} <= set(first.split())
    assert "alphabeta" in first
    for width in (24, 32, 40):
        tiny = Console(width=width, record=True)
        tiny.print(standings_table(standings, width))
        lines = tiny.export_text().splitlines()
        assert max(map(len, lines)) <= width
        assert [line.split()[0] for line in lines] == ["Player", "1", "2"]
        assert lines[0].split()[1] == "Points"
        assert "120" in lines[1]
    wide = Console(width=200, record=True)
    wide.print(standings_table(standings, wide.width))
    told = wide.export_text()
    assert all(name in told for name in (*names, "s/turn", "Bonus", "Games"))


def test_a_stores_password_is_never_shown() -> None:
    from types import SimpleNamespace

    store = SimpleNamespace(name="postgresql://ada:***@db/x", number=lambda *about: 7)
    told = show_command(store, "postgresql://ada:secret@db/x", "cup", a_game())  # type: ignore[arg-type]
    assert told == "; see noctagon records show --store 'postgresql://ada:***@db/x' 7"
