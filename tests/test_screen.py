"""The terminal: the board fits its width, keeps its letters without colour, and names cannot play tricks."""

from __future__ import annotations

import io

import pytest
from rich.console import Console, RenderableType

from noctagon.cli.watch import PromptScreen, describe
from noctagon.core.board import Arrow, Piece, View
from noctagon.core.events import Played
from noctagon.core.player import Thought
from noctagon.core.record import TurnRecord
from noctagon.core.registry import find_game
from noctagon.core.text import describe_count
from noctagon.terminal import SeatLine, cell_width, describe_thought, draw_board, fit, players_panel, window


def piece(label: str, x: int, y: int) -> Piece:
    kind, side = {"V": ("vampires", 0), "W": ("werewolves", 1), "H": ("humans", None)}[label[0]]
    return Piece(x, y, kind, side, int(label[1:]), label)


def board(rows: int, columns: int, *pieces: Piece) -> View:
    return View("vampires", rows, columns, pieces, ("Vampires", "Werewolves"), 0, 4, 200, (8.0, 12.0))


def shown(what: RenderableType, width: int = 100) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        console.print(what)
    return [line.rstrip() for line in capture.get().splitlines()]


def coloured(what: RenderableType, *, no_color: bool) -> str:
    console = Console(
        file=io.StringIO(),
        width=80,
        force_terminal=True,
        color_system="truecolor",
        no_color=no_color,
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(what)
    return capture.get()


SMALL = board(2, 3, piece("V8", 0, 0), piece("W12", 2, 1), piece("H4", 1, 0))


def test_a_small_board() -> None:
    assert shown(draw_board(SMALL, width=80)) == [
        "     0    1    2",
        "0   V8   H4    ·",
        "1    ·    ·  W12",
        "ply 4 of 200 · Vampires 8, Werewolves 12 · Vampires to move",
    ]


def test_a_board_has_its_own_labels() -> None:
    view = View("g", 1, 2, (), ("A", "B"), 0, 0, 9, (0.0, 0.0), "", ("A",), ("x", "y"))
    assert shown(draw_board(view, width=80))[:2] == ["     x    y", "A    ·    ·"]


@pytest.mark.parametrize(
    ("room", "width"), [(300, 5), (150, 5), (149, 4), (119, 3), (89, 2), (60, 2), (59, 4)]
)
def test_cells_are_as_wide_as_fits(room: int, width: int) -> None:
    assert cell_width(board(30, 30, piece("V12", 3, 3)), room) == width


def test_large_counts_get_wider_cells_where_there_is_room() -> None:
    assert cell_width(board(5, 5, piece("V54321", 3, 3)), 80) == 7


@pytest.mark.parametrize(
    ("label", "width", "text"),
    [("V8", 5, "V8"), ("V54321", 4, "V54k"), ("V54321", 3, "V+"), ("W12", 2, "W+"), ("dA9", 2, "d+")],
)
def test_a_label_that_does_not_fit_keeps_its_letter(label: str, width: int, text: str) -> None:
    assert fit(label, width) == text


@pytest.mark.parametrize(
    ("total", "visible", "points", "expected"),
    [
        (10, 20, [3], range(10)),
        (255, 11, [100], range(95, 106)),
        (255, 11, [0], range(11)),
        (255, 11, [254], range(244, 255)),
        (255, 11, [10, 12], range(6, 17)),
        (255, 11, [10, 100, 104, 240], range(97, 108)),
        (255, 11, [], range(122, 133)),
        (5, 0, [2], range(2, 3)),
    ],
)
def test_a_window_lies_around_what_matters(
    total: int, visible: int, points: list[int], expected: range
) -> None:
    assert window(total, visible, points) == expected


def test_a_board_too_large_is_cut_around_the_pieces_and_says_so() -> None:
    lines = shown(draw_board(board(255, 255, piece("V8", 75, 120)), width=80, height=20), 80)
    assert len(lines) == 20
    assert all(len(line) <= 80 for line in lines)
    assert lines[-2] == "columns 63–87 of 255, rows 112–128 of 255"
    assert any("V8" in line for line in lines)


def test_the_last_move_decides_where_to_look() -> None:
    view = board(5, 255, piece("V8", 200, 1), piece("W3", 10, 1))
    lines = shown(draw_board(view, width=60, height=40, last=[Arrow(199, 1, 200, 1)]), 60)
    assert len(lines) == 5 + 3
    assert "○" in lines[2]
    assert "V8" in lines[2]
    assert lines[-2].startswith("columns 19")


def test_a_board_that_just_fits_its_height_is_whole() -> None:
    assert len(shown(draw_board(board(10, 4), width=80, height=12))) == 12
    assert shown(draw_board(board(10, 4), width=80, height=11))[-2] == "rows 1–8 of 10"


@pytest.mark.parametrize("width", [1, 5, 9, 20])
def test_a_tiny_terminal_is_no_error(width: int) -> None:
    assert shown(draw_board(SMALL, width=width, height=3), 80)


def test_columns_that_would_touch_are_named_every_fifth() -> None:
    header = shown(draw_board(board(3, 30, piece("V8", 0, 0)), width=70))[0]
    assert header.split() == ["0", "5", "10", "15", "20", "25"]


def test_colours_are_used_and_left_out_when_nobody_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    what = draw_board(SMALL, width=80, last=[Arrow(1, 0, 0, 0)])
    assert "38;2;" in coloured(what, no_color=False)
    bare = coloured(what, no_color=True)
    assert "38;2;" not in bare
    assert "48;2;" not in bare
    assert "V8" in bare
    assert "\x1b[1;4m" in bare, "the cells of the last move are underlined even then"


def test_the_names_of_rows_do_not_dim_the_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    line = coloured(draw_board(SMALL, width=80), no_color=False).splitlines()[1]
    assert line.startswith("\x1b[2m0 \x1b[0m\x1b[1;38;2;255;111;139;")


def test_a_terminal_of_an_old_encoding_gets_ascii() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="cp437", errors="strict", newline="\n")
    console = Console(file=stream, width=80, color_system=None, legacy_windows=False)
    console.print(draw_board(SMALL, width=80, last=[Arrow(1, 1, 0, 0)]))
    console.print(draw_board(board(99, 99), width=40, height=9))
    console.print(players_panel(SEATS, width=80))
    stream.flush()
    text = raw.getvalue().decode("ascii")
    assert "    .    o  W12" in text
    assert "ply 4 of 200 | Vampires 8" in text
    assert "> Vampires   alphabeta" in text
    stream.close()


SEATS = [
    SeatLine(
        "alphabeta",
        "Vampires",
        98,
        1.234,
        2,
        Thought(depth=7, nodes=1_234_567, score=3.25, line=("a", "b")),
        True,
    ),
    SeatLine("Zoë [red]\x1b[31m", "Werewolves", 49),
]


def test_the_players() -> None:
    assert shown(players_panel(SEATS, width=69)) == [
        "▶ Vampires   alphabeta                      ████████████ 98 1.2 / 2 s",
        "  depth 7 · 1.2M nodes · +3.25 · a · b",
        "  Werewolves Zoë [red]�[31m                 ██████░░░░░░ 49     0.0 s",
        "",
    ]


@pytest.mark.parametrize("width", [30, 59, 60, 100])
def test_the_players_fit_and_always_take_four_lines(width: int) -> None:
    long = [
        SeatLine("x" * 200, "Vampires", -3, 0, 2, Thought(note="y" * 200)),
        SeatLine("吸血鬼" * 50, "W", 0),
    ]
    lines = shown(players_panel(long, width=width), 200)
    assert len(lines) == 4
    assert all(Console().render_str(line).cell_len <= width for line in lines)


def test_a_thought_tells_what_there_is_of_it() -> None:
    assert describe_thought(None) == ""
    assert describe_thought(Thought()) == ""
    assert describe_thought(Thought(nodes=1)) == "1 node"
    assert describe_thought(Thought(score=-12.0)) == "-12"
    assert describe_thought(Thought(nodes=950, note="book")) == "950 nodes · book"


def turn_with(thought: Thought) -> Played:
    game = find_game("wargame")
    before = game.initial()
    action = game.parse_action("C4 C3", before)
    record = TurnRecord(0, "C4 C3", seconds=0.25, thought=thought)
    return Played(0, before, action, (), (), before.play(action), record)


LOOKED_AHEAD = Thought(depth=5, nodes=950, score=2.0, line=("C4 C3", "A1 B1", "D3 C3", "B1 C1", "E2 D2"))


def test_a_turn_tells_the_next_few_that_the_player_expects() -> None:
    game = find_game("wargame")
    assert (
        describe(turn_with(LOOKED_AHEAD), game)
        == "  1. Attacker C4 C3  (0.25 s; depth 5 · 950 nodes · +2; then A1 B1 · D3 C3 · B1 C1 · …)"
    )
    short = describe(turn_with(Thought(line=("C4 C3", "A1 B1"))), game)
    assert short == "  1. Attacker C4 C3  (0.25 s; then A1 B1)"


def test_a_person_is_not_told_what_the_opponent_expects() -> None:
    game = find_game("wargame")
    screen = PromptScreen(game, game.initial(), ("alphabeta", "human"), 2.0)
    assert screen.describe(turn_with(LOOKED_AHEAD)) == "  1. Attacker C4 C3  (0.25 s; depth 5 · 950 nodes)"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        *[
            (0, "0"),
            (999, "999"),
            (1000, "1.0k"),
            (1234, "1.2k"),
            (9949, "9.9k"),
            (9950, "10k"),
            (999_499, "999k"),
        ],
        *[(999_500, "1.0M"), (3_400_000, "3.4M"), (5e9, "5.0G"), (2e12, "2.0T"), (4e16, "40000T")],
    ],
)
def test_large_numbers_in_few_characters(number: float, text: str) -> None:
    assert describe_count(number) == text


def test_an_even_score_of_a_player_that_tells_chances_is_one() -> None:
    assert describe_thought(Thought(score=0.0)) == "+0"
    assert describe_thought(Thought(score=0.0, chance=True)) == "50% to win"
    assert describe_thought(Thought(score=1118.4)) == "+1118"  # points, though many
