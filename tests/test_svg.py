"""Pictures: one self-contained SVG, readable by day and by night, small and large, whatever the names."""

from __future__ import annotations

import re
from importlib import resources
from xml.etree import ElementTree

import pytest

from noctagon.core import svg
from noctagon.core.board import Arrow, Piece, View

SVG = "{http://www.w3.org/2000/svg}"
KINDS = {
    "vampires": {"humans", "vampires", "werewolves"},
    "wargame": {"ai", "virus", "tech", "firewall", "program"},
}


def symbols(game: str) -> str:
    return resources.files("noctagon").joinpath("games", game, "symbols.svg").read_text(encoding="utf-8")


def piece(label: str, x: int, y: int) -> Piece:
    kind, side = {"V": ("vampires", 0), "W": ("werewolves", 1), "H": ("humans", None)}[label[0]]
    return Piece(x, y, kind, side, int(label[1:]), label)


def board(rows: int = 5, columns: int = 10, *, sides: tuple[str, str] = ("Vampires", "Werewolves")) -> View:
    pieces = (piece("H4", columns - 1, 0), piece("W12", 0, rows - 1), piece("V8", columns - 1, rows - 1))
    return View("vampires", rows, columns, pieces, sides, 0, 4, 200, (8.0, 12.0))


def wargame() -> View:
    pieces = (
        Piece(0, 0, "ai", 1, 9, "dA9"),
        Piece(4, 4, "ai", 0, 9, "aA9"),
        Piece(3, 4, "virus", 0, 7, "aV7"),
    )
    return View(
        "wargame",
        5,
        5,
        pieces,
        ("Attacker", "Defender"),
        1,
        7,
        100,
        (16.0, 9.0),
        "",
        tuple("ABCDE"),
        tuple("01234"),
    )


def crowd() -> View:
    cells = [(x, y) for y in range(0, 30, 3) for x in range(0, 30, 3)]
    return View(
        "vampires",
        30,
        30,
        tuple(piece(f"H{x + y + 1}", x, y) for x, y in cells),
        ("Vampires", "Werewolves"),
        1,
        9,
        200,
        (0.0, 0.0),
        result="draw: nobody came",
    )


def parse(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def texts(root: ElementTree.Element, cls: str) -> list[str]:
    return ["".join(found.itertext()) for found in root.iter(f"{SVG}text") if found.get("class") == cls]


@pytest.mark.parametrize("theme", svg.THEMES)
@pytest.mark.parametrize(
    "view", [board(1, 1), board(3, 3), board(), board(255, 1), board(255, 255), wargame(), crowd()]
)
def test_every_board_is_well_formed_and_says_what_it_shows(view: View, theme: svg.Theme) -> None:
    root = parse(svg.draw(view, symbols(view.game), theme=theme))
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.get("class") == f"noctagon-board {theme}"
    assert root[0].tag == f"{SVG}title"
    assert root[1].tag == f"{SVG}desc"
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert len([group for group in root.iter(f"{SVG}g") if "transform" in group.attrib]) == len(view.pieces)


def test_the_description_names_pieces_where_they_stand_and_stops_in_time() -> None:
    assert "dA9 at A0; aA9 at E4" in svg.describe(wargame())
    assert "V8 at 9,4" in svg.describe(board())
    assert svg.describe(crowd()).endswith("and 60 more.")


def test_names_are_text_never_markup() -> None:
    nasty = '<script>&"\x00\x1b[31m\ud800'
    view = board(sides=(nasty, "Werewolves"))
    root = parse(svg.draw(view, symbols("vampires"), title=nasty, arrows=[Arrow(0, 0, 1, 1, "<&>")]))
    assert not list(root.iter(f"{SVG}script"))
    assert texts(root, "heading") == ['<script>&"��[31m�']
    assert texts(root, "amount-text") == ["<&>"]


def test_only_the_symbols_in_use_are_there_under_ids_of_their_game() -> None:
    root = parse(svg.draw(wargame(), symbols("wargame")))
    ids = {element.get("id") for element in root.iter() if element.get("id")}
    assert ids == {"noctagon-wargame-ai", "noctagon-wargame-virus"}
    assert {use.get("href") for use in root.iter(f"{SVG}use")} == {f"#{name}" for name in ids}


def test_a_kind_keeps_its_colours_when_the_other_side_begins() -> None:
    turned = View(
        "vampires",
        3,
        3,
        (Piece(0, 0, "werewolves", 0, 5, "W5"),),
        ("Werewolves", "Vampires"),
        0,
        0,
        9,
        (5, 5),
    )
    root = parse(svg.draw(turned, symbols("vampires")))
    classes = [group.get("class") for group in root.iter(f"{SVG}g")]
    assert classes == ["piece cool", "cool on-move", "warm"]


def test_the_wargame_sides_differ_in_outline() -> None:
    root = parse(svg.draw(wargame(), symbols("wargame")))
    tiles = {
        group.get("class"): group[0].tag for group in root.iter(f"{SVG}g") if "transform" in group.attrib
    }
    assert tiles == {"piece cool": f"{SVG}rect", "piece warm": f"{SVG}polygon"}


def test_without_symbols_a_piece_is_a_disc_with_its_label() -> None:
    root = parse(svg.draw(board()))
    assert not list(root.iter(f"{SVG}use"))
    assert len([disc for disc in root.iter(f"{SVG}circle") if disc.get("class") == "disc"]) == 3
    assert texts(root, "count") == ["H4", "W12", "V8"]


def test_the_same_position_gives_the_same_text() -> None:
    assert svg.draw(board(), symbols("vampires")) == svg.draw(board(), symbols("vampires"))


def test_large_boards_name_every_fifth_row_and_column() -> None:
    assert texts(parse(svg.draw(board(3, 15))), "label") == [str(x) for x in range(15)]
    assert texts(parse(svg.draw(board(3, 30))), "label") == ["0", "5", "10", "15", "20", "25"]
    assert texts(parse(svg.draw(board(30, 3))), "label row") == ["0", "5", "10", "15", "20", "25"]
    assert texts(parse(svg.draw(wargame())), "label row") == list("ABCDE")


def test_the_largest_board_stays_small_in_bytes() -> None:
    pieces = tuple(piece(f"H{n % 19 + 1}", n, n) for n in range(255))
    view = View("vampires", 255, 255, pieces, ("Vampires", "Werewolves"), 0, 0, 200, (1.0, 1.0))
    assert len(svg.draw(view, symbols("vampires")).encode()) < 150_000


@pytest.mark.parametrize("count", [1, 19, 255, 1234, 54321])
@pytest.mark.parametrize("label", ["V", "W", "H"])
def test_counts_of_up_to_five_digits_fit_into_their_cell(label: str, count: int) -> None:
    for rows in (3, 30):
        view = View(
            "vampires",
            rows,
            rows,
            (piece(f"{label}{count}", 0, 0),),
            ("Vampires", "Werewolves"),
            0,
            0,
            9,
            (1, 1),
        )
        root = parse(svg.draw(view, symbols("vampires")))
        (group,) = (group for group in root.iter(f"{SVG}g") if "transform" in group.attrib)
        (text,) = group.iter(f"{SVG}text")
        half = float(text.get("font-size", "0")) * svg.DIGIT * len(str(count)) / 2
        middle = float(text.get("x", "0"))
        assert middle - half >= 0
        assert middle + half <= 100


def test_the_caption_tells_the_scores_and_whose_turn_it_is() -> None:
    root = parse(svg.draw(board(), symbols("vampires")))
    assert texts(root, "name") == ["Vampires 8", "Werewolves 12"]
    assert texts(root, "status") == ["Vampires to move · ply 4 of 200"]


def test_the_caption_tells_the_result() -> None:
    root = parse(svg.draw(crowd(), symbols("vampires")))
    assert texts(root, "status result") == ["draw: nobody came · ply 9 of 200"]
    assert not [path for path in root.iter(f"{SVG}path") if path.get("class") == "pointer"]


def test_a_move_is_an_arrow_with_its_text_and_a_deed_on_the_spot_is_a_ring() -> None:
    root = parse(
        svg.draw(board(), arrows=[Arrow(1, 1, 2, 2, "3"), Arrow(1, 1, 2, 1), Arrow(4, 4, 4, 4, "−2")])
    )
    classes = [element.get("class") for element in root.iter()]
    assert classes.count("arrow") == 2
    assert classes.count("ring") == 1
    assert classes.count("touched") == 4
    assert texts(root, "amount-text") == ["3", "−2"]


def test_long_texts_are_shortened_or_wrapped() -> None:
    view = board(3, 3, sides=("Vampires of the Seven Mountains", "Werewolves"))
    root = parse(
        svg.draw(view, symbols("vampires"), title="The final of a long tournament, the third attempt")
    )
    assert root[0].text == "The final of a long tournament, the third attempt"
    assert texts(root, "heading")[0].endswith("…")
    assert texts(root, "name")[0].endswith("… 8")
    assert len(texts(root, "status")) == 2


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no theme 'pink'; there are: auto, light, dark"):
        svg.draw(board(), theme="pink")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "said"), [("<symbol></symbol>", "has no id"), ('<symbol id="a" data-tint="x"></symbol>', "tint")]
)
def test_a_symbol_that_cannot_be_used_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        svg.draw(board(), text)


@pytest.mark.parametrize("game", KINDS)
def test_every_kind_has_a_symbol_in_a_box_of_100_without_ids_of_its_own(game: str) -> None:
    root = ElementTree.fromstring(symbols(game))
    assert {symbol.get("id") for symbol in root} == KINDS[game]
    for symbol in root:
        assert symbol.tag == f"{SVG}symbol"
        assert symbol.get("viewBox") == "0 0 100 100"
        assert len(list(symbol.iter())) > 2
        assert not [element for element in symbol.iter() if element is not symbol and "id" in element.attrib]
    assert set(svg.read_symbols(symbols(game), game)) == KINDS[game]


def test_every_rule_of_the_stylesheet_is_about_boards_only() -> None:
    rules = re.sub(r"/\*.*?\*/|@media[^{]*\{", "", svg.stylesheet(), flags=re.DOTALL)
    selectors = [selector.strip() for selector in re.findall(r"([^{}]+)\{", rules)]
    assert len(selectors) > 20
    assert all(selector.startswith(".noctagon-board") for selector in selectors)
    assert "<" not in svg.stylesheet()
    assert "&" not in svg.stylesheet()


def test_every_colour_in_use_is_defined_for_day_and_night() -> None:
    css = svg.stylesheet()
    defined = set(re.findall(r"(--\w+): var\(--day, #\w+\) var\(--night, #\w+\);", css))
    used = set(re.findall(r"var\((--\w+)", css + symbols("vampires") + symbols("wargame")))
    assert used - {"--day", "--night"} == defined


def test_every_class_that_is_styled_is_drawn() -> None:
    styled = set(re.findall(r"\.([a-z-]+)", re.sub(r"/\*.*?\*/", "", svg.stylesheet(), flags=re.DOTALL)))
    move = [Arrow(0, 0, 1, 1, "3"), Arrow(2, 2, 2, 2)]
    pictures = [
        svg.draw(board(), symbols("vampires"), arrows=move, title="T"),
        svg.draw(board(), theme="dark"),
    ]
    pictures += [svg.draw(board(255, 255), symbols("vampires")), svg.draw(crowd(), symbols("vampires"))]
    drawn = {
        name for text in pictures for found in re.findall(r'class="([^"]*)"', text) for name in found.split()
    }
    assert styled == drawn - {"light", "piece"}
