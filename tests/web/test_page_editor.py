"""The map editor in a real browser: drawn by pointer and by keyboard, checked, taken back, saved, opened, played."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from noctagon.games.vampires.maps.map import bundled_maps, read_map
from tests.web.chromium import Reader
from tests.web.page import Page

pytestmark = pytest.mark.xdist_group("page")

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
EMPTY = {"rows": 6, "columns": 8, "humans": [], "vampires": None, "werewolves": None}
SMALL = {**EMPTY, "vampires": [6, 4, 5], "werewolves": [1, 1, 5]}


def edit(reader: Reader, drawn: dict[str, Any] = SMALL) -> None:
    """Open the editor with a map that was left in it."""
    draft = json.dumps(json.dumps(drawn))
    begin = (
        "if (!sessionStorage.begun) { sessionStorage.begun = 1; localStorage.setItem('noctagon.draft', %s) }"
    )
    reader.context.add_init_script(begin % draft)
    reader.open("/editor")
    expect(reader.see(".stage .board")).to_be_visible()


def choose(reader: Reader, tool: str) -> None:
    reader.see(".tool").filter(has_text=tool).click()


def drag(reader: Reader, *cells: tuple[int, int]) -> None:
    wide, high, left, top = reader.see(".stage .board").evaluate(
        "e => { const m = e.getScreenCTM(); return [m.a, m.d, m.e, m.f]; }"
    )
    places = [(left + (x * 100 + 50) * wide, top + (y * 100 + 50) * high) for x, y in cells]
    reader.tab.mouse.move(*places[0])
    reader.tab.mouse.down()
    for place in places[1:]:
        reader.tab.mouse.move(*place)
    reader.tab.mouse.up()


def symmetry(reader: Reader, name: str) -> None:
    reader.tab.get_by_label("Symmetry").select_option(label=name)


def test_a_stroke_draws_both_sides_and_is_one_step(reader: Reader) -> None:
    edit(reader)
    assert reader.pieces() == {(1, 1, 5), (6, 4, 5)}
    drag(reader, (2, 3), (4, 3))  # quicker than the cells: no gap is left
    drawn = {(x, y, 4) for x, y in ((2, 3), (3, 3), (4, 3), (5, 2), (4, 2), (3, 2))}
    assert reader.pieces() == {(1, 1, 5), (6, 4, 5)} | drawn
    expect(reader.see(".findings .good")).to_have_text("✓Ready to play.")
    reader.button("Undo").click()
    assert reader.pieces() == {(1, 1, 5), (6, 4, 5)}
    reader.button("Redo").click()
    assert len(reader.pieces()) == 8


def test_a_stroke_goes_around_the_start_groups(reader: Reader) -> None:
    edit(reader)
    symmetry(reader, "off")
    drag(reader, (0, 1), (3, 1), (1, 1))
    assert reader.pieces() == {(1, 1, 5), (6, 4, 5), (0, 1, 4), (2, 1, 4), (3, 1, 4)}


def test_start_groups_move_together_and_never_onto_the_middle(reader: Reader) -> None:
    edit(reader, {**SMALL, "rows": 5, "columns": 7, "vampires": [5, 3, 5]})
    choose(reader, "Vampires")
    reader.tab.get_by_label("How many", exact=True).last.fill("9")
    reader.click_cell(6, 0)
    assert reader.pieces() == {(6, 0, 9), (0, 4, 9)}
    reader.click_cell(3, 2)
    assert reader.pieces() == {(6, 0, 9), (0, 4, 9)}
    expect(reader.see(".editor > [aria-live]")).to_contain_text("its own mirror image")


def test_problems_are_told_while_one_draws(reader: Reader) -> None:
    edit(reader, EMPTY)
    expect(reader.see(".findings .problem")).to_have_count(2)
    expect(reader.see(".findings .problem").first).to_contain_text("There are no Vampires")
    expect(reader.button("Play on this map")).to_be_disabled()
    choose(reader, "Werewolves")
    reader.click_cell(1, 1)
    expect(reader.see(".findings .good")).to_be_visible()
    expect(reader.button("Play on this map")).to_be_enabled()
    symmetry(reader, "off")
    choose(reader, "House")
    reader.click_cell(3, 3)
    expect(reader.see(".findings .remark").first).to_contain_text("Not symmetric")
    symmetry(reader, "left and right")
    reader.button("Mirror what is there").click()
    assert (4, 3, 4) in reader.pieces()


def test_right_click_and_the_eraser_erase(reader: Reader) -> None:
    edit(reader, {**SMALL, "humans": [[3, 1, 2], [4, 4, 2]]})
    wide, high, left, top = reader.see(".stage .board").evaluate(
        "e => { const m = e.getScreenCTM(); return [m.a, m.d, m.e, m.f]; }"
    )
    reader.tab.mouse.click(left + 350 * wide, top + 150 * high, button="right")
    assert reader.pieces() == {(1, 1, 5), (6, 4, 5)}
    choose(reader, "Erase")
    reader.click_cell(6, 4)
    assert reader.pieces() == set()


def test_the_keyboard_draws(reader: Reader) -> None:
    edit(reader, {**EMPTY, "rows": 5, "columns": 7})
    reader.see(".stage .board").focus()
    keyboard = reader.tab.keyboard
    for key in (
        "ArrowLeft",
        "ArrowLeft",
        "ArrowUp",
        "w",
        "1",
        "2",
        "Enter",
    ):  # the first arrow shows the cursor
        keyboard.press(key)
    found = reader.pieces()
    assert {count for _, _, count in found} == {12}
    assert len(found) == 2
    keyboard.press("+")
    assert {count for _, _, count in reader.pieces()} == {13}
    keyboard.press("Delete")
    assert reader.pieces() == set()
    keyboard.press("Control+z")
    assert {count for _, _, count in reader.pieces()} == {13}
    keyboard.press("Control+z")
    keyboard.press("Control+y")
    assert {count for _, _, count in reader.pieces()} == {13}


def test_a_map_is_saved_in_the_course_s_format_and_opened_again(reader: Reader, tmp_path: Path) -> None:
    edit(reader, {**SMALL, "humans": [[3, 1, 2], [4, 4, 2]]})
    with reader.tab.expect_download() as saving:
        reader.button("Save as XML").click()
    file = tmp_path / "map.xml"
    saving.value.save_as(file)
    found, warnings = read_map(file)
    assert (found.humans, found.vampires, warnings) == (((3, 1, 2), (4, 4, 2)), (6, 4, 5), [])
    reader.button("Clear").click()
    assert reader.pieces() == set()
    reader.see("input[type=file]").set_input_files(file)
    expect(reader.see(".files [role=status]")).to_have_text("map.xml: opened.")
    assert len(reader.pieces()) == 4
    reader.see("input[type=file]").set_input_files(
        {"name": "<b>x</b>.xml", "mimeType": "text/xml", "buffer": b"<!DOCTYPE Map><Map/>"}
    )
    expect(reader.see(".files [role=status]")).to_contain_text("a map has no DOCTYPE and no entities")
    assert len(reader.pieces()) == 4
    reader.problems.clear()  # the browser's own word about the answer 400


def test_maps_of_ours_and_made_up_ones(reader: Reader) -> None:
    edit(reader)
    reader.tab.get_by_label("Begin with a bundled map").select_option("tiny")
    expect(reader.see(".files [role=status]")).to_have_text("tiny: opened.")
    tiny = bundled_maps()["tiny"]
    assert len(reader.pieces()) == len(tiny.humans) + 2
    reader.see(".maker input[type=number]").nth(0).fill("7")
    reader.button("Make a map").click()
    expect(reader.see(".editor > [aria-live]")).to_contain_text("A new map was made")
    assert len(reader.pieces()) == 18
    reader.tab.get_by_label("Columns").first.fill("4")
    reader.tab.get_by_label("Columns").first.press("Enter")
    assert all(x < 4 for x, _, _ in reader.pieces())
    reader.button("Undo").click()
    assert len(reader.pieces()) == 18


def test_the_map_is_played_at_once(reader: Reader, page: Page) -> None:
    edit(reader, {**SMALL, "humans": [[3, 1, 2], [4, 4, 2]]})
    expect(reader.see(".findings .good")).to_be_visible()
    reader.button("Play on this map").click()
    expect(reader.see(".game .board")).to_be_visible()
    table = page.context.tables.listed()[0]
    assert page.get(f"/tables/{table.id}")["position"] == "6x8 H3,1:2 H4,4:2 V6,4:5 W1,1:5 V 0"


def test_a_draft_is_there_when_one_comes_back(reader: Reader) -> None:
    edit(reader)
    reader.click_cell(3, 3)
    reader.tab.reload()
    expect(reader.see(".stage .board")).to_be_visible()
    assert len(reader.pieces()) == 4


@pytest.mark.parametrize("wrong", ["", "0", "-3"])
def test_a_size_that_is_none_leaves_the_map_alone(reader: Reader, wrong: str) -> None:
    edit(reader)
    for name, size in (("Rows", "6"), ("Columns", "8")):
        field = reader.see(".editor-bar").get_by_label(name)
        field.fill(wrong)
        field.press("Enter")
        expect(field).to_have_value(size)
    assert reader.pieces() == {(1, 1, 5), (6, 4, 5)}


def test_a_map_that_is_too_large_to_play_is_only_saved(reader: Reader) -> None:
    edit(reader, {**SMALL, "rows": 255, "columns": 255, "vampires": [250, 250, 5]})
    expect(reader.see(".findings .good")).to_have_text("✓Ready to be saved.")
    expect(reader.see(".findings .remark").last).to_contain_text("Larger than the page plays on")
    expect(reader.button("Play on this map")).to_be_disabled()
    ends = "all => all.map(one => { const box = one.getBoundingClientRect(); return [box.left, box.right]; })"
    places = reader.see(".stage .label:not(.row)").evaluate_all(ends)
    assert len(places) > 5
    assert all(right < left for (_, right), (left, _) in pairwise(places))


def test_a_large_map_is_enlarged(reader: Reader) -> None:
    edit(reader, {**SMALL, "rows": 100, "columns": 100, "vampires": [98, 98, 5]})
    stage, board = reader.see(".stage"), reader.see(".stage .board")
    reader.button("Enlarge").click()
    expect(stage).to_have_class("stage editing enlarged")
    assert board.evaluate("board => board.getScreenCTM().a * 100") > 18
    assert stage.evaluate("stage => stage.scrollWidth > stage.clientWidth")
    board.focus()
    for _ in range(60):
        reader.tab.keyboard.press("ArrowRight")
    assert stage.evaluate("stage => stage.scrollLeft") > 0  # the cursor is kept in sight
    reader.button("Whole board").click()
    assert board.evaluate("board => board.getScreenCTM().a * 100") < 15
    reader.tab.get_by_label("Rows").first.fill("8")
    reader.tab.get_by_label("Columns").first.fill("8")
    reader.tab.get_by_label("Columns").first.press("Enter")
    expect(reader.button("Enlarge")).to_have_count(0)


def test_a_large_map_is_drawn_on(reader: Reader) -> None:
    houses = [[x, y, 3] for x in range(0, 100, 3) for y in range(0, 100, 4)]
    edit(reader, {**EMPTY, "rows": 100, "columns": 100, "humans": houses})
    expect(reader.see(".findings .problem")).to_have_count(2)
    choose(reader, "Vampires")
    reader.click_cell(50, 50)
    expect(reader.see(".findings .remark").first).to_contain_text("cannot be served")


def test_on_a_phone_by_night(browser: Browser, page: Page) -> None:
    reader = Reader(browser, page, color_scheme="dark", **PHONE)
    edit(reader)
    wide = reader.tab.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    reader.see(".stage .board").tap(position={"x": 190, "y": 120})
    expect(reader.see(".stage .standing .piece")).to_have_count(4)
    assert reader.problems == []
    reader.close()
