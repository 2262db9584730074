"""A server's settings: the course's file as it is, TOML, and what is wrong with a broken one."""

import asyncio
from pathlib import Path

import pytest
from rich.console import Console

from noctagon.cli.server_screen import ServerScreen
from noctagon.core.game import NoctagonError
from noctagon.games.vampires import game
from noctagon.games.wargame import game as wargame
from noctagon.wire.configuration import read_configuration
from noctagon.wire.server import TableServer, TcpTable, make_options

COURSE = """<?xml version="1.0" encoding="utf-8"?>
<configuration>
  <startup><supportedRuntime version="v4.0"/></startup>
  <appSettings>
    <add key="ServerIP" value="127.0.0.1"/>
    <add key="ServerPort" value="6666"/>
    <add key="DebugMode" value="true"/>
    <add key="PlayersCount" value="1"/>
    <add key="Map" value=""/>
    <add key="MaxGameDuration" value="00:05:00"/>
    <add key="MaxPlayDuration" value="00:00:05"/>
    <add key="MaxPlays" value="150"/>
    <add key="AutoRestart" value="false"/>
  </appSettings>
</configuration>
"""


def read(tmp_path: Path, text: str) -> dict[str, object]:
    path = tmp_path / "server.config"
    path.write_text(text, "utf-8")
    return read_configuration(path)


def test_the_courses_file_as_it_is(tmp_path: Path) -> None:
    settings = read(tmp_path, COURSE)
    assert settings == {
        "host": "127.0.0.1",
        "port": 6666,
        "trace": True,
        "solo": True,
        "duration": 300.0,
        "time": 5.0,
        "plies": 150,
        "restart": False,
    }
    options = make_options(game.wire(), settings)
    assert (options.port, options.time, options.rules.plies, options.rules.name) == (6666, 5.0, 150, "server")


def test_the_handouts_names_and_a_bom(tmp_path: Path) -> None:
    rows = '<add key="Ip" value="10.0.0.1"/><add key="Port" value="7"/><add key="Trace" value="True"/>'
    text = f"\ufeff<configuration><appSettings>{rows}</appSettings></configuration>"
    assert read(tmp_path, text) == {"host": "10.0.0.1", "port": 7, "trace": True}


def test_toml_with_the_names_of_the_options(tmp_path: Path) -> None:
    settings = read(tmp_path, 'map = "duel"\ntime = 1\nrules = "handout"\ngames = 3\nlenient = true\n')
    options = make_options(game.wire(), settings)
    assert (options.map, options.time, options.rules.name, options.games, options.lenient) == (
        "duel",
        1,
        "handout",
        3,
        True,
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<configuration>", "not XML"),
        ("<config/>", "no <configuration><appSettings>"),
        (COURSE.replace("ServerPort", "ServerPrt"), "unknown key 'ServerPrt'; did you mean ServerPort"),
        (COURSE.replace("6666", "many"), 'ServerPort="many" should be a whole number'),
        (COURSE.replace("00:05:00", "5 minutes"), "should be a time as in 00:05:00"),
        (COURSE.replace('"1"', '"3"', 1).replace('Count" value="1"', 'Count" value="3"'), "should be 1 or 2"),
        ("<!DOCTYPE x>" + COURSE.split("?>")[1], "no document type"),
        ("time = ", "not TOML"),
        ("tiem = 2", "unknown setting 'tiem'; did you mean time?"),
        ('time = "soon"', "time = 'soon' should be a number"),
        ("port = true", "port = True should be a whole number"),
    ],
)
def test_a_broken_file_says_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(NoctagonError) as caught:
        read(tmp_path, text)
    assert says in str(caught.value)
    assert "server.config" in str(caught.value)


def test_a_map_is_found_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "m.xml").touch()
    found = str(tmp_path / "maps" / "m.xml")
    assert read(tmp_path, COURSE.replace('Map" value=""', 'Map" value="maps\\m.xml"'))["map"] == found
    assert read(tmp_path, 'map = "maps/m.xml"')["map"] == found
    assert read(tmp_path, 'map = "duel"')["map"] == "duel"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoctagonError, match=r"none.toml: No such file"):
        read_configuration(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"time": 0.0}, "a turn takes"),
        ({"duration": -1.0}, "a game takes"),
        ({"port": 99999}, "port is 0 to 65535, not 99999"),
        ({"games": 0}, "games is 1 to"),
        ({"tables": -1}, "tables is 1 to"),
        ({"solo": True, "opponent": "greedy"}, "has no opponent"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, float], says: str) -> None:
    with pytest.raises(NoctagonError, match=says):
        make_options(game.wire(), settings)
    if "solo" not in settings and "duration" not in settings:
        with pytest.raises(NoctagonError, match=says):
            wargame.wire().server(settings)


def test_a_server_that_starts_again_throws_other_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    async def run(server: TableServer) -> None:
        seeds.append(server.options.seed)
        screen.played += 1
        if len(seeds) == 3:
            raise NoctagonError("enough")

    monkeypatch.setattr(TableServer, "run", run)
    screen = ServerScreen(game.wire(), {"seed": 7, "map": "duel", "restart": True}, json=True)
    with pytest.raises(NoctagonError, match="enough"):
        asyncio.run(screen.serve())
    assert seeds == [7, 8, 9]


def test_names_with_brackets_are_shown_as_they_are() -> None:
    screen = ServerScreen(game.wire(), {"map": "duel"}, json=False)
    assert isinstance(screen.server, TableServer)
    screen.server.tables = [TcpTable(0, screen.server)]
    screen.server.tables[0].names = ["bot[v2]", "[/x]"]
    console = Console(width=120, record=True)
    console.print(screen.view())
    assert "bot[v2] and [/x]" in console.export_text()
