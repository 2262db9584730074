"""Maps as objects, by name and on the command line; those that ship are sound."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING
from xml.dom import minidom

import pytest
from typer.testing import CliRunner

from noctagon.core.game import BadNotation, NoctagonError, UnknownName
from noctagon.games.vampires import VampiresState, game
from noctagon.games.vampires.maps.command import app
from noctagon.games.vampires.maps.map import (
    Group,
    Map,
    MapError,
    bundled_maps,
    check_map,
    find_map,
    read_map,
    write_map,
)

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLE = Map(rows=5, columns=10, humans=((2, 2, 4),), vampires=(4, 3, 4), werewolves=(4, 1, 4))


# The object


@pytest.mark.parametrize(
    ("rows", "humans", "vampires", "message"),
    [
        (0, (), (0, 0, 1), 'Map Rows="0"'),
        (3, (), (3, 0, 1), 'Vampires X="3": the map has 3 columns'),
        (3, (), (0, 0, 0), 'Vampires Count="0"'),
        (3, ((1, 1, 0),), (0, 0, 1), "an empty house is no house"),
        (3, ((1, 1, 2), (1, 1, 3)), (0, 0, 1), "Humans are there already"),
        (3, (), (2, 2, 1), "Vampires are there already"),
    ],
)
def test_a_map_that_cannot_be_is_refused(
    rows: int, humans: tuple[Group, ...], vampires: Group, message: str
) -> None:
    with pytest.raises(MapError, match=message):
        Map(rows, 3, humans, vampires, (2, 2, 1))


def test_symmetry_swaps_the_starts_and_keeps_the_counts() -> None:
    assert Map(2, 3, ((1, 0, 5), (1, 1, 5)), (2, 1, 4), (0, 0, 4)).symmetric
    assert not Map(2, 3, ((1, 0, 5), (1, 1, 6)), (2, 1, 4), (0, 0, 4)).symmetric
    assert not Map(2, 3, ((1, 0, 5), (1, 1, 5)), (2, 1, 5), (0, 0, 4)).symmetric
    assert not Map(2, 3, ((1, 0, 5),), (2, 0, 4), (0, 1, 4)).symmetric
    assert not Map(2, 3, (), (1, 0, 4), (0, 1, 4)).symmetric


@pytest.mark.parametrize(
    ("humans", "vampires", "werewolves", "symmetry"),
    [
        (((1, 0, 2), (2, 3, 2)), (0, 1, 5), (3, 2, 5), "by half a turn"),
        (((1, 0, 2), (2, 0, 2)), (0, 1, 5), (3, 1, 5), "left to right"),
        (((1, 0, 2), (1, 3, 2)), (0, 1, 5), (0, 2, 5), "top to bottom"),
        (((1, 0, 2), (0, 1, 2), (3, 3, 7)), (0, 2, 5), (2, 0, 5), "along the diagonal"),
        (((1, 0, 2), (3, 2, 2), (0, 3, 7)), (1, 1, 5), (2, 2, 5), "along the other diagonal"),
        (((1, 0, 2), (2, 0, 3)), (0, 1, 5), (3, 1, 5), ""),
    ],
)
def test_a_reflection_that_swaps_the_species_is_a_symmetry_too(
    humans: tuple[Group, ...], vampires: Group, werewolves: Group, symmetry: str
) -> None:
    found = Map(4, 4, humans, vampires, werewolves)
    assert found.symmetry == symmetry
    assert found.symmetric is bool(symmetry)
    assert any("not symmetric" in remark for remark in check_map(found)) is not bool(symmetry)


def test_on_a_map_that_is_no_square_there_is_no_diagonal() -> None:
    assert not Map(4, 5, ((1, 0, 2), (0, 1, 2)), (0, 2, 5), (2, 0, 5)).symmetric


def test_checking_a_map_says_which_symmetry_it_has(tmp_path: Path) -> None:
    file = tmp_path / "mirrored.xml"
    file.write_text(write_map(Map(2, 4, ((1, 0, 2), (2, 0, 2)), (0, 1, 5), (3, 1, 5))))
    result = CliRunner().invoke(app, ["check", str(file)])
    facts = "2 rows × 4 columns, 2 houses with 4 humans, 5 Vampires against 5 Werewolves"
    assert result.output.splitlines() == [f"✓ {file}: {facts}, symmetric left to right"]


def test_a_map_is_drawn_as_text() -> None:
    assert str(EXAMPLE).splitlines()[2:4] == [
        "1  .  .  .  . W4  .  .  .  .  .",
        "2  .  . H4  .  .  .  .  .  .  .",
    ]
    assert [piece.side for piece in EXAMPLE.view().pieces] == [1, None, 0]


def test_the_wire_takes_255_cells() -> None:
    def crowded(houses: int) -> Map:
        cells = [(x, y, 1) for y in range(1, 20) for x in range(20)][:houses]
        return Map(20, 20, tuple(cells), (0, 0, 1), (19, 0, 1))

    assert crowded(253).wire_fault == ""
    assert crowded(254).wire_fault.startswith("256 cells are not empty: MAP can name 255")
    assert crowded(256).wire_fault.startswith("256 houses: HUM can name 255")
    assert crowded(256).wire_fault in check_map(crowded(256))


def test_remarks_say_what_a_player_should_know() -> None:
    assert check_map(EXAMPLE) == []
    assert check_map(find_map("lopsided")) == [
        "not symmetric: play it twice with the species swapped to be fair"
    ]
    corridor = Map(1, 6, ((1, 0, 9), (4, 0, 9)), (3, 0, 6), (2, 0, 4))
    assert check_map(corridor)[1:] == [
        "the starts touch: the first turn can win the game",
        "one cell wide: nobody gets past anybody",
        "the 6 Vampires can take no house for sure: all in reach hold more",
        "the 4 Werewolves can take no house for sure: all in reach hold more",
    ]


# The maps that ship


@pytest.mark.parametrize("name", bundled_maps())
def test_a_bundled_map_is_in_the_format_and_says_what_it_tests(name: str) -> None:
    map_ = find_map(name)
    data = (resources.files("noctagon.games.vampires.maps") / "bundled" / f"{name}.xml").read_bytes()
    assert data == write_map(map_).encode()
    assert map_.name == name
    assert 40 <= len(map_.about) <= 110
    assert map_.about[-1] in ".?"
    assert not map_.wire_fault
    assert not map_.symmetric or map_.vampires[2] == map_.werewolves[2]


def test_the_bundle_is_varied() -> None:
    found = bundled_maps()
    sizes = {(map_.rows, map_.columns) for map_ in found.values()}
    assert len(found) >= 16
    assert {(3, 3), (1, 20), (30, 30)} <= sizes
    assert max(rows * columns for rows, columns in sizes) == 900
    assert {name for name, map_ in found.items() if not map_.symmetric} == {"trap", "lopsided"}
    assert any(count == 255 for map_ in found.values() for _, _, count in map_.humans)
    assert next(iter(found)) == "duel"


def test_every_bundled_file_is_in_the_index() -> None:
    folder = resources.files("noctagon.games.vampires.maps") / "bundled"
    names = {file.name.removesuffix(".xml") for file in folder.iterdir() if file.name.endswith(".xml")}
    assert names == set(bundled_maps())


def test_a_map_is_found_by_name_or_by_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.xml"
    file.write_text(write_map(EXAMPLE))
    assert find_map("tiny").rows == 3
    assert find_map(str(file)) == find_map(file) == read_map(file)[0]
    assert find_map(file).name == "mine"
    with pytest.raises(UnknownName, match=r"unknown map 'corider'; did you mean corridor"):
        find_map("corider")
    with pytest.raises(MapError, match=r"duel\.xml: there is no such file"):
        find_map("duel.xml")


def test_a_map_drawn_by_chance_is_found_by_name_wherever_a_map_is_named() -> None:
    found = find_map("generated:7")
    assert found.name == "generated:7"
    assert found.symmetric
    assert game.initial("generated:7") == VampiresState.from_map(found)
    assert "generated:7: " in CliRunner().invoke(app, ["show", "generated:7"]).output
    for digits in ("9" * 5000, "seed=" + "9" * 5000):
        with pytest.raises(BadNotation, match="a number, or some of side"):
            find_map(f"generated:{digits}")
    with pytest.raises(MapError, match="generated:groups=2: a map has one group a side, not 2"):
        find_map("generated:groups=2")
    assert len(game.initial("generated:groups=2").vampires) == 2
    with pytest.raises(UnknownName, match="did you mean generated:7"):
        find_map("generated")


# The command


def test_list_names_every_map_and_fits_100_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    lines = CliRunner().invoke(app, ["list"]).output.splitlines()
    assert {line.split()[0] for line in lines if line[:1].isalpha()} >= set(bundled_maps())
    assert max(map(len, lines)) <= 100
    assert len(lines) <= 3 * len(bundled_maps())


def test_show_prints_the_board_the_facts_and_the_remarks(tmp_path: Path) -> None:
    picture = tmp_path / "trap.svg"
    result = CliRunner().invoke(app, ["show", "trap", "--svg", str(picture)])
    assert result.exit_code == 0, result.output
    for part in ("W15", "7 rows × 9 columns, 11 houses with 55 humans", "bait", "! not symmetric"):
        assert part in result.output
    assert minidom.parse(str(picture)).documentElement is not None


def test_show_draws_a_board_with_several_groups_a_side(tmp_path: Path) -> None:
    picture = tmp_path / "groups.svg"
    name = "generated:side=30,houses=64,groups=4,seed=1"
    result = CliRunner().invoke(app, ["show", name, "--svg", str(picture)])
    assert result.exit_code == 0, result.output
    assert f"{name}: 30 rows × 30 columns, 64 houses with" in result.output
    assert "24 Vampires against 24 Werewolves in 4 groups each, symmetric" in result.output
    assert "! several groups a side" in result.output
    assert result.output.count("V6") == result.output.count("W6") == 4
    assert minidom.parse(str(picture)).documentElement is not None


def test_show_paints_the_board_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    painted = CliRunner().invoke(app, ["show", "trap"], color=True).output
    assert "\x1b[" in painted
    assert "W15" in painted


def test_show_of_an_unknown_map_is_an_error_for_the_main_program() -> None:
    result = CliRunner().invoke(app, ["show", "dual"])
    assert isinstance(result.exception, UnknownName)


def test_check_ticks_warns_and_crosses(tmp_path: Path) -> None:
    good, odd, broken, large = (tmp_path / f"{name}.xml" for name in ("good", "odd", "broken", "large"))
    good.write_text(write_map(find_map("duel")))
    odd.write_text(write_map(EXAMPLE).split("\n", 1)[1])
    broken.write_text(write_map(EXAMPLE).replace('X="2"', 'X="12"'))
    houses = tuple((x, y, 1) for y in range(1, 20) for x in range(20))
    large.write_text(write_map(Map(20, 20, houses, (0, 0, 1), (19, 0, 1))))

    fine = CliRunner().invoke(app, ["check", str(good), str(odd)])
    assert fine.exit_code == 0
    assert f"✓ {good}: 10 rows × 10 columns, 16 houses" in fine.output
    assert "  ! line 1: the declaration" in fine.output

    bad = CliRunner().invoke(app, ["check", str(broken), str(good), str(large)])
    assert bad.exit_code == 1
    assert f"✗ {broken}, line 3: Humans X=" in bad.output
    assert f"✓ {good}" in bad.output
    assert f"✗ {large}: 380 houses" in bad.output


def test_make_prints_or_writes_and_does_not_overwrite(tmp_path: Path) -> None:
    run = CliRunner().invoke
    size = ["--rows", "6", "--columns", "7", "--houses", "8"]
    printed = run(app, ["make", *size, "--seed", "3"]).stdout
    file = tmp_path / "made.xml"
    assert run(app, ["make", *size, "--seed", "3", "--out", str(file)]).exit_code == 0
    assert file.read_bytes().decode() == printed == write_map(read_map(file)[0])
    assert read_map(file)[0].symmetric

    refused = run(app, ["make", "--out", str(file)])
    assert isinstance(refused.exception, NoctagonError)
    assert "--force overwrites it" in str(refused.exception)
    assert file.read_text() == printed
    assert run(app, ["make", "--asymmetric", "--out", str(file), "--force"]).exit_code == 0
    assert len(read_map(file)[0].humans) == 16

    lost = run(app, ["make", "--out", str(tmp_path / "no" / "where.xml")])
    assert "cannot be written: No such file or directory" in str(lost.exception)
