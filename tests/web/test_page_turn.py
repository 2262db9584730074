"""A turn in the making in a real browser: it stays under one's hands, by pointer and by key, until it is played."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.chromium import Reader, play
from tests.web.page import Page

pytestmark = pytest.mark.xdist_group("page")

TWO_GROUPS = "3x5 H1,0:2 V0,0:9 V0,2:4 W4,2:9 V 0"
ASKED = "**/positions/turn"


def choose(reader: Reader, x: int, y: int) -> None:
    """Click a group of one's own and wait for where it can go."""
    expect(reader.see(".hint.source").first).to_be_attached()
    reader.click_cell(x, y)
    expect(reader.see(".hint.free")).not_to_have_count(0)


def plan(reader: Reader, x: int, y: int, tx: int, ty: int) -> None:
    """A move that is not played yet."""
    planned = reader.see(".moves li").count()
    choose(reader, x, y)
    reader.click_cell(tx, ty)
    expect(reader.see(".moves li")).to_have_count(planned + 1)
    expect(reader.button("Play this turn")).to_be_enabled()


def test_how_many_go_is_dragged_over_the_whole_slider(reader: Reader, page: Page) -> None:
    reader.sit(page.table(game="vampires", position=TWO_GROUPS))
    choose(reader, 0, 0)
    box = reader.tab.get_by_label("How many go").bounding_box()
    assert box is not None
    end, high, mouse = box["x"] + box["width"] - 8, box["y"] + box["height"] / 2, reader.tab.mouse
    mouse.move(end, high)
    mouse.down()
    for part, told in ((0.75, "7 of 9"), (0.5, "5 of 9"), (0.25, "3 of 9"), (0, "1 of 9")):
        with reader.tab.expect_response(ASKED):  # what is asked on the way takes nothing out of the hand
            mouse.move(box["x"] + 8 + part * (box["width"] - 16), high)
        expect(reader.see(".how-many")).to_have_text(told)
    mouse.up()
    expect(reader.see(".hint.risky")).to_have_count(1)


def test_how_many_go_is_chosen_by_keys(reader: Reader, page: Page) -> None:
    reader.sit(page.table(game="vampires", position=TWO_GROUPS))
    choose(reader, 0, 0)
    slider = reader.tab.get_by_label("How many go")
    slider.focus()
    for left in (8, 7, 6):
        with reader.tab.expect_response(ASKED):
            reader.tab.keyboard.press("ArrowLeft")
        expect(reader.see(".how-many")).to_have_text(f"{left} of 9")
    expect(slider).to_be_focused()
    with reader.tab.expect_response(ASKED):
        reader.button("Half").press("Enter")
    expect(reader.see(".hint.sure")).to_have_count(1)
    expect(reader.button("Half")).to_be_focused()
    reader.tab.keyboard.press("Escape")  # the group is let go, and with it what was in use
    expect(reader.see(".count-picker")).to_have_count(0)
    expect(reader.see(".stage .board")).to_be_focused()


def test_whoever_takes_moves_back_by_key_stays_in_the_list(reader: Reader, page: Page) -> None:
    reader.sit(page.table(game="vampires", position=TWO_GROUPS))
    plan(reader, 0, 0, 1, 1)
    plan(reader, 0, 2, 1, 2)
    first, second = reader.button("Take back the move of 9 to 1,1"), reader.button("Take back the move of 4")
    first.press("Enter")
    expect(first).to_have_count(0)
    expect(second).to_be_focused()
    reader.tab.keyboard.press("Enter")
    expect(reader.see(".moves li")).to_have_count(0)
    expect(reader.see(".stage .board")).to_be_focused()


def test_a_choice_that_was_pressed_keeps_the_focus_and_the_board_has_it_once_it_is_played(
    reader: Reader, page: Page
) -> None:
    reader.sit(page.table(game="wargame"))
    expect(reader.see(".hint.source")).to_have_count(6)
    reader.click_cell(4, 2)
    choice = reader.button("Self-destruct at C4")
    choice.press("Enter")
    expect(choice).to_have_attribute("aria-pressed", "true")
    expect(choice).to_be_focused()
    reader.button("Play this turn").press("Enter")
    reader.turn(1)
    expect(reader.see(".turn-panel h2")).to_have_text("Your turn: Defender")
    expect(reader.see(".stage .board")).to_be_focused()


def test_a_turn_in_the_making_survives_a_look_at_what_was_before(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", setup="duel")
    for number, action in enumerate(("8,6>8,7:8", "1,3>1,4:8")):
        play(page, table, number, action)
    reader.sit(table)
    plan(reader, 8, 7, 7, 6)
    for back, forth in (
        ("One turn back", "To the present"),
        ("To the first position", "Back to the present (2 on)"),
    ):
        reader.button(back).click()
        expect(reader.see(".turn-wait")).to_contain_text("You are looking at an earlier turn.")
        expect(reader.see(".board .planned:visible")).to_have_count(0)
        reader.click_cell(1, 4)  # nothing can be chosen there
        reader.button(forth, exact=True).click()
        expect(reader.see(".moves li")).to_contain_text("8 from 8,7 to 7,6")
        expect(reader.see(".board .planned:visible")).to_have_count(1)
    reader.button("Play this turn").click()
    reader.turn(3)
    assert page.get(f"/tables/{table['id']}")["frames"][2]["action"] == "8,7>7,6:8"


def test_a_turn_in_the_making_ends_when_turns_are_taken_back_meanwhile(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", setup="duel")
    for number, action in enumerate(("8,6>8,7:8", "1,3>1,4:8")):
        play(page, table, number, action)
    reader.sit(table)
    plan(reader, 8, 7, 7, 6)
    reader.button("One turn back").click()
    expect(reader.see(".turn-wait")).to_be_visible()
    page.post(f"/tables/{table['id']}/undo", {"side": 0, "key": table["keys"]["0"]})
    reader.turn(0)
    expect(reader.see(".turn-panel h2")).to_have_text("Your turn: Vampires")
    expect(reader.see(".moves li, .board .planned")).to_have_count(0)


def test_there_is_no_turn_to_step_on_to_while_one_is_asked_oneself(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", setup="duel", players=["human", "greedy"], time=5, pace=0)
    reader.sit(table)
    expect(reader.see(".hint.source")).to_have_count(1)
    expect(reader.button("One turn on")).to_be_disabled()
    with reader.tab.expect_response("**/pause"):  # nothing was asked before it: the right arrow has no effect
        reader.see("main").press("ArrowRight")
        reader.see("main").press("Space")
    expect(reader.button("Play", exact=True)).to_be_visible()
    play(page, table, 0, "8,6>8,7:8")
    expect(reader.see(".turn-wait p")).to_have_text("The game is paused.")
    reader.button("Go on").click()
    reader.turn(2)
    expect(reader.button("Pause")).to_be_visible()


def test_a_game_that_is_paused_is_stepped_on_until_it_is_one_s_turn(reader: Reader, page: Page) -> None:
    reader.sit(page.table(game="vampires", players=["greedy", "human"], time=5, paused=True))
    reader.button("One turn on").press("Enter")
    reader.turn(1)
    expect(reader.see(".turn-panel")).to_be_visible()
    expect(reader.button("One turn on")).to_be_disabled()
    expect(reader.button("Play", exact=True)).to_be_focused()  # beside the button that is of no use now
