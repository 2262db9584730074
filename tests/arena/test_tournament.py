"""Tournaments as a teacher runs them: from a file, interrupted, killed, changed, resumed."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import inf, nan
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

import tests.command
from noctagon.arena.bout import Bout, Entrant, Finished
from noctagon.arena.duel import Duel
from noctagon.arena.meetings import Meeting, fixtures
from noctagon.arena.plan import Plan, changes, make_plan, names_of, read_plan, stored_plan
from noctagon.arena.run import Run
from noctagon.arena.starts import Start
from noctagon.arena.store.store import Store
from noctagon.arena.tournament import Tournament, cores
from noctagon.arena.versions import version_of
from noctagon.cli import app
from noctagon.core.game import NoctagonError
from noctagon.core.player import PlayerSpec
from noctagon.core.record import decode
from noctagon.games.vampires.maps.map import find_map, write_map
from tests.arena.games import a_game

QUICK: dict[str, Any] = {
    "name": "quick",
    "game": "wargame",
    "players": ["greedy", "random", {"spec": "alphabeta:depth=1", "name": "ada"}],
    "maps": "all",
    "openings": 2,
    "plies": 12,
    "time": 60,
}
"""Players that always play the same, so that the same tournament has the same end."""

NOCTAGON = [sys.executable, "-m", "noctagon"]


def quick(**more: object) -> Plan:
    return make_plan({**QUICK, **more}, "test")


def play(plan: Plan, store: Path, *, most: int | None = None, accept: bool = False) -> Run:
    """Play a tournament in this process; stop after `most` games as if the power had failed."""
    with Store.open(store) as opened:
        run = Run(Tournament(plan), opened)
        run.resume(accept=accept)
        played = 0

        def perform(bout: Bout) -> Finished:
            nonlocal played
            if most is not None and played >= most:
                raise PowerCut
            played += 1
            return bout.play()

        class Once(ThreadPoolExecutor):
            def submit(self, fn: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
                return super().submit(perform, *args, **options)

        if most is None:
            run.play(Once(1), slots=lambda: 1)
        else:
            with pytest.raises(PowerCut):
                run.play(Once(1), slots=lambda: 1)
        return run


class PowerCut(Exception):  # noqa: N818 - it is no error of ours
    pass


def essence(games: list[Finished], store: Path) -> list[tuple[Any, ...]]:
    """What has to be the same whenever and wherever a game was played: everything but dates and times."""
    with Store.open(store) as opened:
        records = {game.slot: decode(opened.record("quick", game.slot, game.key)) for game in games}
    return [
        (game.slot, game.key, game.winner, game.reason, [turn.action for turn in records[game.slot].turns])
        for game in games
    ]


def test_a_tournament_is_played_once_and_never_again(tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    run = play(quick(), store)
    assert run.is_over
    assert len(run.games) == 3 * 2 * 2
    assert sum(row.points for row in run.standings().rows) == 12
    with Store.open(store) as opened:
        again = Run(Tournament(quick()), opened)
        assert again.is_over
        assert again.changes == []
        assert again.stale == []
        for game in run.games.values():
            record = decode(opened.record("quick", game.slot, game.key))
            assert record.called == game.players
            assert record.players == game.specs


def test_a_power_cut_costs_the_games_in_the_air(tmp_path: Path) -> None:
    whole = play(quick(), tmp_path / "whole.db")
    broken = tmp_path / "broken.db"
    assert len(play(quick(), broken, most=5).games) == 5
    resumed = play(quick(), broken)
    assert essence(resumed.finished, broken) == essence(whole.finished, tmp_path / "whole.db")


@pytest.mark.parametrize("format", ["gauntlet", "swiss", "knockout"])
def test_every_format_is_played_to_its_end_and_resumes(tmp_path: Path, format: str) -> None:  # noqa: A002
    plan = quick(format=format, players=[*QUICK["players"], "turtle:depth=1", "minimax:depth=1"])
    whole = play(plan, tmp_path / "whole.db")
    assert whole.is_over
    assert len(whole.games) == whole.expected
    broken = tmp_path / "broken.db"
    play(plan, broken, most=len(whole.games) // 2)
    resumed = play(plan, broken)
    assert essence(resumed.finished, broken) == essence(whole.finished, tmp_path / "whole.db")


def test_pairs_share_their_dice_and_every_game_has_its_own(tmp_path: Path) -> None:
    run = Run(Tournament(quick()), Store.open(tmp_path / "games.db"))
    seeds = [bout.seed for bout in run.todo]
    assert len(set(seeds)) == len(seeds) // 2
    assert len({bout.key for bout in run.todo}) == len(seeds)
    run.store.close()


def test_a_changed_plan_is_noticed_and_explained(tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    play(quick(), store, most=4)
    with pytest.raises(
        NoctagonError, match=r"4 of its games were played:\n  plies: 12, now 14\nWith --accept"
    ):
        play(quick(plies=14), store)
    run = play(quick(plies=14), store, accept=True)
    assert len(run.games) == 12
    with Store.open(store) as opened:
        assert len(opened.finished("quick")) == 12
        assert len(opened.finished("")) == 4  # they are still there, and count nowhere


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"plies": 14}, "they are set aside and played again; under"),
        (
            {"players": QUICK["players"][:2]},
            "they are set aside, and the plan has no such games any more; under",
        ),
        (
            {"players": QUICK["players"][:2], "plies": 14},
            "aside, and those that the plan still has are played again; ",
        ),
    ],
)
def test_it_is_told_which_games_are_played_again(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    store = tmp_path / "games.db"
    play(quick(openings=1), store)
    with pytest.raises(NoctagonError, match=told):
        play(quick(openings=1, **change), store)


def test_another_player_is_welcome_at_any_time(tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    play(quick(), store)
    larger = quick(players=[*QUICK["players"], "alphabeta:depth=2"])
    with Store.open(store) as opened:
        run = Run(Tournament(larger), opened)
        assert run.changes == ["players: alphabeta:depth=2 is new"]
        assert len(run.games) == 12
        assert len(run.todo) == 12


@pytest.mark.parametrize("format", ["swiss", "knockout"])
@pytest.mark.parametrize("more", [{"players": [*QUICK["players"], "turtle:depth=1"]}, {"openings": 3}])
def test_where_pairings_depend_on_results_more_is_a_change(
    tmp_path: Path,
    format: str,  # noqa: A002 - as the plan calls it
    more: dict[str, Any],
) -> None:
    whole = play(quick(format=format, **more), tmp_path / "whole.db")
    play(quick(format=format), tmp_path / "games.db")
    with pytest.raises(NoctagonError, match=r"quick has changed since .*\n.*\nWith --accept-changes"):
        play(quick(format=format, **more), tmp_path / "games.db")
    after = play(quick(format=format, **more), tmp_path / "games.db", accept=True)
    assert essence(after.finished, tmp_path / "games.db") == essence(whole.finished, tmp_path / "whole.db")


def test_a_bot_that_was_edited_is_another_one(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import tactics\nclass Bot:\n    def choose(self, state, clock): return tactics.best(state)\n"
    )
    tactics = tmp_path / "tactics.py"
    tactics.write_text("def best(state): return next(iter(state.actions()))\n")
    plan = quick(players=["random", {"spec": f"{bot}:Bot", "name": "bot"}], maps="start", openings=0)
    store = tmp_path / "games.db"
    assert len(play(plan, store).games) == 2
    tactics.write_text("def best(state): return list(state.actions())[-1]\n")
    with pytest.raises(NoctagonError, match="bot: its program has changed"):
        play(plan, store)
    other = tmp_path / "other.py"
    other.write_text("class Bot: ...\n")
    assert version_of(PlayerSpec.parse(f"{bot}:Bot")) != version_of(PlayerSpec.parse(f"{other}:Bot"))


@pytest.mark.parametrize(
    "spec", ["b/bot.py:Bot", "cmd:python3 b/bot.py --fast", "cmd:b/run", "cmd:python3 -m b.bot"]
)
@pytest.mark.parametrize(
    "edited", ["b/brain.py", "b/lib/__init__.py", "b/lib/help.py", "b/lib/util.py", "b/lib/deep/down.py"]
)
def test_all_that_a_bot_imports_is_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, edited: str
) -> None:
    monkeypatch.chdir(tmp_path)
    package = "b." if "-m" in spec else ""
    files = {
        "b/bot.py": f"import {package}brain\nfrom {package}lib import help\nclass Bot: ...\n",
        "b/run": f"#!/usr/bin/env python3\nimport {package}bot\n",
        "b/brain.py": "",
        "b/lib/__init__.py": "",
        "b/lib/help.py": "from .util import first\n",
        "b/lib/util.py": "from . import deep\nfrom .deep.down import below\n",
        "b/lib/deep/down.py": "from ...lib import help\n",
        "b/other.py": "",
    }
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    before = version_of(PlayerSpec.parse(spec))
    Path("b/other.py").write_text("# nobody imports it\n")
    assert version_of(PlayerSpec.parse(spec)) == before
    Path(edited).write_text(files[edited] + "# better\n")
    assert version_of(PlayerSpec.parse(spec)) != before


def test_a_file_that_a_bot_imports_need_not_be_right(tmp_path: Path) -> None:
    bot = PlayerSpec.parse(f"{tmp_path / 'bot.py'}:Bot")
    (tmp_path / "bot.py").write_text("import helper\nclass Bot: ...\n")
    versions = set()
    for wrong in (b"def best(", b"x = '\0'", b"(" * 10_000, b"\xff"):
        (tmp_path / "helper.py").write_bytes(wrong)
        versions.add(version_of(bot))
    assert len(versions) == 4


def test_a_command_may_have_words_that_are_no_files(tmp_path: Path) -> None:
    program = tmp_path / "bot.sh"
    program.write_text("echo\n")
    plain = version_of(PlayerSpec.parse(f"cmd:{program}"))
    for words in (f"-c '{'x' * 5000}'", "-m", "-m 5", "-m ''", "-m /", "-m .."):
        assert version_of(PlayerSpec.parse(f"cmd:{program} {words}")) == plain


FIRST = "class Bot:\n    def choose(self, state, clock): return next(iter(state.actions()))\n"


@pytest.mark.parametrize(
    "edited", [FIRST + "# better\n", "class Bot:\n    def choo", FIRST.replace("Bot", "Ada")]
)
def test_a_bot_that_is_edited_while_it_plays_stops_its_own_games_only(tmp_path: Path, edited: str) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(FIRST)
    plan = quick(players=[{"spec": f"{bot}:Bot", "name": "Ada"}, "random", "greedy"])
    with Store.open(tmp_path / "games.db") as store:
        run = Run(Tournament(plan), store)
        run.resume()

        def slots() -> int:
            if any("Ada" in game.players for game in run.games.values()):
                bot.write_text(edited)
            return 1

        with pytest.raises(
            NoctagonError, match=r"Ada is not the program any more .*bot\.py:Bot.*\nAll games"
        ):
            run.play(ThreadPoolExecutor(1), slots=slots)
        played = [set(game.players) for game in store.finished("quick")]
        assert sum("Ada" in players for players in played) == 1
        assert sum("Ada" not in players for players in played) == 4


@pytest.mark.parametrize(
    ("spec", "why"),
    [("bot.py:Bot", "unknown class of bot.py 'Bot'; there are: Ada"), ("cmd:nothing", "there is no command")],
)
def test_a_program_that_cannot_be_started_loses_its_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text("class Ada: ...\n")
    run = Run(Tournament(quick()), Store.open(tmp_path / "games.db"))
    bout = msgspec.structs.replace(run.todo[0], entrants=(run.todo[0].entrants[0], Entrant("late", spec)))
    game = bout.play()
    assert (game.winner, game.reason, game.fault) == (0, "crash", 1)
    assert game.detail.startswith("Defender could not start: ")
    assert why in game.detail
    run.store.close()


def test_what_changed_is_told_a_line_each() -> None:
    before = quick(maps=["start"], time=1)
    after = quick(
        maps=["start", "other"], players=["greedy", {"spec": "greedy", "name": "ada"}], format="swiss"
    )
    assert changes(before, after) == [
        'format: "round-robin", now "swiss"',
        "players: random is gone",
        'players: ada was {"spec":"alphabeta:depth=1","name":"ada"}, now {"spec":"greedy","name":"ada"}',
        "maps: other is new",
        "time: 1.0, now 60.0",
    ]


def test_players_have_names_of_their_own() -> None:
    specs = ["bots/ada.py:Bot", "cmd:java -jar Bot.jar", "greedy", "greedy", "mcts:nodes=5"]
    plan = make_plan({"players": specs}, "test")
    assert names_of(plan) == ["ada", "Bot", "greedy", "greedy (2)", "mcts:nodes=5"]


def test_all_wrong_names_are_told_at_once() -> None:
    names = ["a/b", "ada", " cleo", "ada", "ada"]
    plan = make_plan({"players": [{"spec": "random", "name": name} for name in names]}, "here")
    with pytest.raises(NoctagonError) as told:
        names_of(plan)
    first, *wrong = str(told.value).splitlines()
    assert first == "3 names are wrong:"
    assert [line.split()[0:3] for line in wrong] == [
        ["'a/b'", "is", "no"],
        ["'", "cleo'", "is"],
        ["two", "players", "are"],
    ]


def test_classes_of_one_file_are_told_apart_by_their_names() -> None:
    specs = ["mine.py:Old", "mine.py:New", "mine.py:New:depth=2", "other.py:New"]
    assert names_of(make_plan({"players": specs}, "test")) == [
        "mine:Old",
        "mine:New",
        "mine:New (2)",
        "other",
    ]
    given = ["mine.py:Old", {"spec": "mine.py:New", "name": "Ada"}]
    assert names_of(make_plan({"players": given}, "test")) == ["mine", "Ada"]


@pytest.mark.parametrize(
    ("specs", "names"),
    [
        (["a/bot.py:B", "b/bot.py:B"], ["a/bot", "b/bot"]),
        (["a/bot.py:B", "bot.py:B", "a/other.py:B"], ["a/bot", "bot", "other"]),
        (["/x/a/v1/bot.py:B", "/x/b/v1/bot.py:B"], ["a/v1/bot", "b/v1/bot"]),
        (["a/bot.py:B", "b/bot.py:C"], ["bot:B", "bot:C"]),
        (["a/bot.py:B", "b/bot.py:B", "b/bot.py:C"], ["a/bot:B", "b/bot:B", "bot:C"]),
        (["a/bot.py:B", "a/bot.py:B:depth=2", "b/bot.py:B"], ["a/bot", "a/bot (2)", "b/bot"]),
        (["/a/bot.py:B", "a/bot.py:B"], ["bot", "bot (2)"]),
        (["Ada (7)/bot.py:B", f"{'x' * 60}/bot.py:B"], ["Ada  7/bot", f"{'x' * 30}/bot"]),
    ],
)
def test_files_of_one_name_are_told_apart_by_their_folders(specs: list[str], names: list[str]) -> None:
    assert names_of(make_plan({"players": specs}, "test")) == names


def test_a_slash_in_a_name_makes_no_two_games_one() -> None:
    (one, _), (other, _) = (
        fixtures(Meeting(1, *pair), [Start("duel")]) for pair in (("a/bot", "b"), ("a", "bot/b"))
    )
    assert one.slot != other.slot


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"players": ["greedy"]}, "1 player: it takes two"),
        (
            {"players": ["greedy", "gready"]},
            "player 2: unknown player of wargame 'gready'; did you mean greedy",
        ),
        ({"players": ["greedy", "human"]}, "player 2: a person cannot take part"),
        ({"players": ["greedy", "none.py:Bot"]}, "player 2: none.py: No such file"),
        ({"players": ["greedy", "cmd:nothing-of-this-name"]}, "player 2: .*there is no command"),
        ({"players": ["greedy", {"spec": "random", "name": "greedy"}]}, "two players are called 'greedy'"),
        ({"players": ["greedy", {"spec": "random", "name": "a/b"}]}, "'a/b' is no name"),
        ({"players": ["greedy", {"spec": "random", "memory": -1}]}, "player 2: memory = -1: a limit is more"),
        (
            {"players": ["greedy", {"spec": "random", "colour": "red"}]},
            "test: players, no. 2: unknown name 'colour'; there are: cpu, disk, memory",
        ),
        ({"players": ["greedy", {"name": "Ada"}]}, "test: players, no. 2: spec is missing"),
        ({"format": "roundrobin"}, "test: unknown format 'roundrobin'; did you mean round-robin"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"maps": ["nowhere"]}, "nowhere"),
        ({"maps": []}, "maps: none are named"),
        ({"time": -1}, "time = -1: more than 0 seconds"),
        ({"plies": 0}, "1 to .* plies, not 0"),
        ({"rounds": -1}, "rounds = -1: it is at least 0"),
        ({"concurrency": 100000}, "players who wait for a core lose on time"),
        ({"players": ["champion:threads=100000", "random"]}, "players who wait for a core"),
        ({"seed": "one"}, "test: seed should be a whole number, not text"),
        ({"limits": {"cpu": "much"}}, "test: limits: cpu should be a number, not text"),
        ({"limits": {"cpu": inf}}, "limits: cpu = inf: a limit is more than 0, and at most 1,000,000,000"),
        ({"limits": {"memory": nan}}, "limits: memory = nan: a limit is more than 0"),
        ({"players": ["greedy", {"spec": "random", "disk": 1e300}]}, "player 2: disk = 1e\\+300: a limit is"),
        ({"bonus": [3, inf]}, "bonus: inf is no number of points"),
        ({"rule": "x"}, "test: unknown name 'rule'; did you mean rules"),
    ],
)
def test_a_wrong_plan_is_refused_with_a_reason(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(NoctagonError, match=told):
        assert Tournament(quick(**wrong)).positions


def test_all_who_cannot_take_part_are_told_at_once_by_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("zed.py").write_text("class Bot:\n    def choo")
    Path("ann.py").write_text("import nothing_of_this_name\nclass Bot: ...\n")
    players = [
        {"spec": "zed.py:Bot", "name": "Zed"},
        {"spec": "ann.py:Bot", "name": "Ann"},
        {"spec": "ann.py:Bat", "name": "Bea"},
        {"spec": "ann.py", "name": "Cy"},
        "dan.py:Bot",
    ]
    with pytest.raises(NoctagonError) as found:
        Tournament(quick(players=players))
    head, zed, *others = str(found.value).splitlines()
    assert head == "4 players cannot take part:"
    assert zed.startswith("  Zed: zed.py is not Python that can be read: ")
    assert others == [
        "  Bea: unknown class of ann.py 'Bat'; did you mean Bot?",
        "  Cy: say which class of the file plays, as in ann.py:MyBot",
        "  player 5: dan.py: No such file or directory",
    ]


def test_a_stored_plan_that_cannot_be_read_is_told_and_stored_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = msgspec.json.encode(quick(limits={"cpu": inf}))
    with Store.open(tmp_path / "noctagon.db") as store:
        store.save_plan("quick", "wargame", broken)
    monkeypatch.chdir(tmp_path)
    told = "the plan of 'quick' in the store cannot be read: limits: cpu should be a number, not nothing"
    with pytest.raises(NoctagonError, match=told):
        stored_plan("quick", broken)
    for command in ("show", "report"):
        found = CliRunner().invoke(app, ["tournament", command])
        assert isinstance(found.exception, NoctagonError)
    listed = CliRunner().invoke(app, ["tournament", "list"])
    assert listed.exit_code == 0
    assert "cannot be read" in listed.output
    with Store.open(tmp_path / "noctagon.db") as store:
        assert Run(Tournament(quick()), store).resume() == [told]
        assert Run(Tournament(quick()), store).resume() == []


def test_a_map_may_have_a_blank_in_its_path(tmp_path: Path) -> None:
    file = tmp_path / "my maps" / "a.xml"
    file.parent.mkdir()
    file.write_text(write_map(find_map("duel")))
    for maps in ([str(file), "duel"], f"{file}, duel"):
        tournament = Tournament(quick(game="vampires", players=["greedy", "random"], maps=maps, openings=0))
        assert [start.setup for start in tournament.starts] == [str(file), "duel"]
        assert len(set(tournament.positions.values())) == 1


def test_a_map_that_a_program_cannot_be_told_is_refused_beforehand(tmp_path: Path) -> None:
    file = tmp_path / "huge.xml"
    houses = "".join(f'<Humans X="{x}" Y="{y}" Count="1"/>' for x in range(20) for y in range(15))
    starts = '<Werewolves X="0" Y="19" Count="4"/><Vampires X="19" Y="19" Count="4"/>'
    file.write_text(f'<?xml version="1.0"?>\n<Map Rows="20" Columns="20">{houses}{starts}</Map>')
    grace = {"spec": f"cmd:{sys.executable} bot.py", "name": "Grace"}
    told = rf"Grace cannot play on {re.escape(str(file))}: the map has 300 houses .* can be told 255"
    vampires: dict[str, Any] = {"game": "vampires", "maps": ["duel", str(file)], "openings": 0}
    with pytest.raises(NoctagonError, match=told):
        assert Tournament(quick(players=["greedy", grace], **vampires)).positions
    with pytest.raises(NoctagonError, match=told):
        Duel(Tournament(quick(players=["greedy", grace], **vampires)), pairs=9).check_starts()
    assert Tournament(quick(players=["greedy", "random"], **vampires)).positions


def test_a_file_that_is_no_plan(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    with pytest.raises(NoctagonError, match=r"cup.toml: No such file"):
        read_plan(file)
    file.write_text("players = [")
    with pytest.raises(NoctagonError, match=r"cup.toml is not TOML: Invalid value"):
        read_plan(file)
    for encoding in ("utf-8", "utf-8-sig"):  # Windows' Notepad begins with a byte order mark
        file.write_text('players = ["a", "b"]', encoding)
        assert read_plan(file).name == "cup"


def test_as_many_games_at_once_as_there_are_cores() -> None:
    assert Tournament(quick()).concurrency == cores()
    assert Tournament(quick(concurrency=1)).concurrency == 1


# The whole command, in processes of its own


def write_plan(folder: Path, **more: object) -> Path:
    file = folder / "quick.toml"
    lines = [f"{name} = {msgspec.json.encode(value).decode()}" for name, value in {**QUICK, **more}.items()]
    file.write_text(
        "\n".join(lines).replace('{"spec":"alphabeta:depth=1","name":"ada"}', '"alphabeta:depth=1"')
    )
    return file


def noctagon(folder: Path, *words: str, code: int = 0) -> str:
    out, err = tests.command.noctagon(*words, code=code, cwd=folder)
    return out + err


def test_the_command_plays_resumes_shows_and_lists(tmp_path: Path) -> None:
    write_plan(tmp_path)
    told = noctagon(tmp_path, "tournament", "quick.toml")
    assert "12 of 12 games" in told
    assert "noctagon tournament report quick" in told
    assert "12 of 12 games" in noctagon(tmp_path, "tournament", "show")
    assert "plies: 12, now 13" in noctagon(tmp_path, "tournament", "quick.toml", "--plies", "13", code=2)
    assert "round-robin" in noctagon(tmp_path, "tournament", "list")
    assert "unknown tournament 'quack'; did you mean quick?" in noctagon(
        tmp_path, "tournament", "show", "quack", code=2
    )
    written = noctagon(tmp_path, "tournament", "report").split()
    assert all((tmp_path / path).exists() for path in written)
    assert any(path.endswith(".html") for path in written)


def test_a_quick_one_from_flags(tmp_path: Path) -> None:
    flags = ["--players", "greedy", "random", "--game", "wargame", "--plies", "6", "--time", "5"]
    assert "2 of 2 games" in noctagon(tmp_path, "tournament", *flags, "--maps", "start")
    assert "2 of 2 games" in noctagon(tmp_path, "tournament", *flags, "--maps", "start,start")
    assert "name a FILE.toml" in noctagon(tmp_path, "tournament", "--time", "1", code=2)
    commas = noctagon(tmp_path, "tournament", "--players", "greedy,random", code=2)
    assert "--players greedy,random is one player: between players there are blanks" in commas
    assert "there is no such store" in noctagon(tmp_path, "tournament", "list", "--store", "none.db", code=2)


def test_the_help_says_where_the_options_are() -> None:
    told = " ".join(CliRunner().invoke(app, ["tournament", "--help"]).output.split())
    assert "is short for noctagon tournament run, whose --help has all options" in told
    listed = CliRunner().invoke(app, ["--help"]).output
    assert "is short for" not in listed


def test_the_hint_to_the_report_holds_for_a_name_that_looks_like_an_option(tmp_path: Path) -> None:
    write_plan(tmp_path, name="-rf", players=["greedy", "random"], openings=0)
    told = noctagon(tmp_path, "tournament", "quick.toml", "--store", "a b.db")
    *_, hint = told.split("the page for the class: noctagon ")
    assert "rf-report/index.html" in noctagon(tmp_path, *shlex.split(hint))


def test_a_second_start_is_refused_while_the_first_one_plays(tmp_path: Path) -> None:
    write_plan(tmp_path)
    with Store.open(tmp_path / "noctagon.db") as store, store.playing("quick"):
        told = noctagon(tmp_path, "tournament", "quick.toml", code=2)
    assert f"quick is being played already, by process {os.getpid()} since" in told
    assert "12 of 12 games" in noctagon(tmp_path, "tournament", "quick.toml")


def test_two_who_play_the_same_tournament_end_with_the_same_table(tmp_path: Path) -> None:
    """As two machines might do if a server forgets who plays: each counts what the store has, not what it saw."""
    plan = quick(format="knockout", players=[{"spec": "random", "name": name} for name in "abcd"])
    with Store.open(tmp_path / "games.db") as store:
        runs = [Run(Tournament(plan), store) for _ in range(2)]
        for run in runs:
            run.resume()
        while any(not run.is_over for run in runs):
            for run, favourite in zip(runs, (min, max), strict=True):  # each sees the others win
                for bout in list(run.todo):
                    names = (bout.entrants[0].name, bout.entrants[1].name)
                    won = names.index(favourite(names))
                    game = a_game(slot=bout.slot, key=bout.key, round=bout.round, players=names, winner=won)
                    run.todo.remove(bout)
                    run._add(game)
        tables = [[(row.place, row.name, row.points) for row in run.standings().rows] for run in runs]
        assert tables[0] == tables[1]
        again = Run(Tournament(plan), store)
        assert again.stale == []
        assert len(store.finished("quick")) == len(runs[0].games)


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL there")
def test_killed_at_random_moments_it_ends_the_same(tmp_path: Path) -> None:
    """Ten times kill -9 while it plays: no finished game is lost or doubled, and the end is that of a quiet run."""
    plan = quick(rounds=3)
    whole = play(plan, tmp_path / "whole.db")
    store = tmp_path / "killed.db"
    rng = Random(1)
    seen: set[tuple[str, str]] = set()
    script = tmp_path / "play.py"
    script.write_text(PLAY_ON)
    (tmp_path / "plan.json").write_bytes(msgspec.json.encode(plan))
    player = subprocess.Popen(
        [sys.executable, str(script), str(store)],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    assert player.stdin is not None
    assert player.stdout is not None
    for _ in range(10):
        player.stdin.write(b"play\n")
        process = int(player.stdout.readline())  # it has begun to play
        ended, _, _ = select.select([player.stdout], [], [], rng.uniform(0.0, 0.15))
        if not ended:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        assert player.stdout.readline() == b"gone\n"
        with Store.open(store) as opened:
            stored = [(game.slot, game.key) for game in opened.finished("quick")]
        assert len(stored) == len(set(stored))
        assert seen <= set(stored)
        seen = set(stored)
    player.stdin.close()
    player.stdout.close()
    assert player.wait() == 0
    resumed = play(plan, store)
    assert essence(resumed.finished, store) == essence(whole.finished, tmp_path / "whole.db")
    assert [(row.place, row.name, row.points) for row in resumed.standings().rows] == [
        (row.place, row.name, row.points) for row in whole.standings().rows
    ]


PLAY_ON = """
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from math import inf, nan
from pathlib import Path
import msgspec
from noctagon.arena.plan import Plan
from noctagon.arena.run import Run
from noctagon.arena.store.store import Store
from noctagon.arena.tournament import Tournament

plan = msgspec.json.decode(Path("plan.json").read_bytes(), type=Plan)
tournament = Tournament(plan)
tournament.prepare()
for _ in sys.stdin:
    process = os.fork()  # it has imported all it needs
    if process == 0:
        with Store.open(sys.argv[1]) as store:
            run = Run(tournament, store)
            run.resume()
            print(os.getpid(), flush=True)
            run.play(ThreadPoolExecutor(1), slots=lambda: 1)
        os._exit(0)
    os.waitpid(process, 0)
    print("gone", flush=True)
"""
"""A program that plays on, for each line that it reads, in a process that may be killed."""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL there")
def test_ctrl_c_finishes_the_running_games_and_a_killed_worker_costs_only_its_own(tmp_path: Path) -> None:
    write_plan(tmp_path, rounds=40, players=["alphabeta:depth=2", "mcts:nodes=300"], plies=40)
    process = subprocess.Popen(
        [*NOCTAGON, "tournament", "quick.toml"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: games_in(tmp_path) >= 1)
    worker = children_of(process.pid)[0]
    os.kill(worker, signal.SIGKILL)
    before = games_in(tmp_path)
    wait_for(lambda: games_in(tmp_path) > before + 1)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    kept = games_in(tmp_path)
    assert f"stopped: {kept} games are kept; the same command goes on" in told


def games_in(folder: Path) -> int:
    try:
        with Store.open(folder / "noctagon.db", create=False) as opened:
            return len(opened.finished("quick"))
    except NoctagonError:
        return 0


def children_of(pid: int) -> list[int]:
    """The worker processes of an arena: its children that are no resource tracker."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    import time

    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("nothing happened")
