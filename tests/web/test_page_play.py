"""A person plays in a real browser: by clicking, by keys, alone against a player of ours or both sides."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from noctagon.core.registry import find_game
from tests.web.chromium import Reader, play, standing
from tests.web.page import Page

pytestmark = pytest.mark.xdist_group("page")


def verdict(page: Page, table: dict[str, Any]) -> str:
    """Who has won in truth: a random player may well destroy itself."""
    match = page.context.tables.find(table["id"]).match
    assert match.result is not None
    return match.result.describe(match.state.sides).split(":")[0]


def test_a_whole_game_of_vampires_against_the_computer(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", setup="tiny", players=["human", "random"], plies=8, time=5)
    reader.sit(table)
    while not reader.see(".verdict").is_visible():
        expect(reader.see(".hint.source, .verdict:visible").first).to_be_attached()
        if not reader.hints("source"):
            continue
        known = len(page.context.tables.find(table["id"]).match.turns)
        reader.click_cell(*reader.hints("source")[0])
        expect(
            reader.see(".hint.free, .hint.sure, .hint.likely, .hint.risky, .hint.join").first
        ).to_be_attached()
        reader.click_cell(*reader.hints("free", "sure", "likely", "risky", "join")[0])
        reader.button("Play this turn").click()
        expect(reader.see(f".turns li:nth-last-child({known + 1})")).to_be_attached()
    expect(reader.see(".verdict h2")).to_have_text(verdict(page, table))
    assert reader.pieces() == standing(page, table)


def test_a_whole_game_of_wargame_against_the_computer(reader: Reader, page: Page) -> None:
    table = page.table(game="wargame", players=["human", "random"], plies=8, time=5)
    reader.sit(table)
    while not reader.see(".verdict").is_visible():
        expect(reader.see(".hint.source, .verdict:visible").first).to_be_attached()
        known = len(page.context.tables.find(table["id"]).match.turns)
        for cell in reader.hints("source"):
            reader.click_cell(*cell)
            expect(reader.see(".choices li").first).to_be_visible()
            if targets := reader.hints("move", "attack", "repair"):
                reader.click_cell(*targets[0])
                expect(reader.button("Play this turn")).to_be_enabled()
                reader.click_cell(*targets[0])
                expect(reader.see(f".turns li:nth-last-child({known + 1})")).to_be_attached()
                break
            reader.click_cell(*cell)
    expect(reader.see(".verdict h2")).to_have_text(verdict(page, table))
    assert reader.pieces() == standing(page, table)


def test_several_moves_are_listed_with_their_odds_and_taken_back_one_by_one(
    reader: Reader, page: Page
) -> None:
    table = page.table(game="vampires", position="3x5 H1,0:2 V0,0:9 V0,2:4 W4,2:9 V 0")
    reader.sit(table)
    expect(reader.see(".hint.source")).to_have_count(2)
    reader.click_cell(0, 0)
    expect(reader.see(".hint.sure .hint-pill text")).to_have_text("100 %")
    reader.tab.get_by_label("How many go").fill("1")
    expect(reader.see(".hint.risky .hint-pill text")).to_be_visible()
    reader.button("Half").click()
    expect(reader.see(".how-many")).to_have_text("5 of 9")
    expect(reader.see(".hint.sure")).to_have_count(1)
    reader.click_cell(1, 0)
    reader.click_cell(0, 2)
    expect(reader.see(".hint.free")).not_to_have_count(0)
    reader.click_cell(1, 2)
    expect(reader.see(".moves li")).to_have_count(2)
    expect(reader.see(".moves li").first).to_contain_text("5 against 2 humans: 100%")
    reader.button("Take back the move of 4 to 1,2").click()
    expect(reader.see(".moves li")).to_have_count(1)
    reader.button("Play this turn").click()
    reader.turn(1)
    assert page.get(f"/tables/{table['id']}")["frames"][0]["action"] == "0,0>1,0:5"
    assert reader.pieces() == standing(page, table)


def test_in_quick_mode_a_group_and_a_target_are_a_turn(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", position="3x5 V2,1:9 W4,2:9 V 0")
    reader.sit(table)
    reader.tab.get_by_label("quick: send the whole group and end the turn").check()
    reader.click_cell(2, 1)
    expect(reader.see(".hint.free")).not_to_have_count(0)
    reader.click_cell(1, 1)
    reader.turn(1)
    assert page.get(f"/tables/{table['id']}")["frames"][0]["action"] == "2,1>1,1:9"


def test_nothing_is_played_before_it_is_known_what_the_moves_make(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", position="3x5 V0,0:9 V0,2:4 W4,2:9 V 0")
    reader.sit(table)
    expect(reader.see(".hint.source")).to_have_count(2)
    reader.click_cell(0, 0)
    expect(reader.see(".hint.free")).not_to_have_count(0)
    reader.click_cell(1, 0)
    expect(reader.button("Play this turn")).to_be_enabled()
    reader.click_cell(0, 2)
    expect(reader.see(".hint.free")).not_to_have_count(0)
    held = reader.hold("**/positions/turn")
    with reader.tab.expect_request("**/positions/turn"):
        reader.click_cell(1, 2)
    reader.tab.keyboard.press("c")
    expect(reader.button("Play this turn")).to_be_disabled()
    held[0].continue_()
    expect(reader.button("Play this turn")).to_be_enabled()
    reader.tab.keyboard.press("c")
    reader.turn(1)
    assert page.get(f"/tables/{table['id']}")["frames"][0]["action"] == "0,0>1,0:9 0,2>1,2:4"


def test_what_is_left_of_a_group_is_said_on_it(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", position="3x5 V2,1:9 W4,2:9 V 0")
    reader.sit(table)
    expect(reader.see(".hint.source")).to_have_count(1)
    reader.click_cell(2, 1)
    expect(reader.see(".hint.free")).not_to_have_count(0)
    reader.button("One", exact=True).click()
    reader.click_cell(1, 1)
    expect(reader.see(".hint.source .hint-pill text")).to_have_text("8 left")
    reader.click_cell(2, 1)
    expect(reader.see(".how-many")).to_have_text("8 of 8")


def test_a_turn_by_keyboard_alone(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", position="3x5 V2,1:9 W4,2:9 V 0")
    reader.sit(table)
    expect(reader.see(".hint.source")).to_have_count(1)
    reader.see(".stage .board").focus()  # the cursor appears in the middle of the board
    keys = reader.tab.keyboard
    expect(reader.see(".game > [role=log]")).to_have_text("2,1: 9 vampires, 9 can go")
    keys.press("Enter")
    expect(reader.see(".hint.free")).not_to_have_count(0)
    keys.press("4")
    expect(reader.see(".how-many")).to_have_text("4 of 9")
    keys.press("ArrowRight")
    keys.press("Enter")
    expect(reader.see(".moves li")).to_have_count(1)
    keys.press("u")
    expect(reader.see(".moves li")).to_have_count(0)
    keys.press("ArrowLeft")
    keys.press("Enter")
    expect(reader.see(".hint.free")).not_to_have_count(0)
    keys.press("ArrowDown")
    keys.press("Enter")
    expect(reader.see(".moves li")).to_have_count(1)
    keys.press("c")
    reader.turn(1)
    assert page.get(f"/tables/{table['id']}")["frames"][0]["action"] == "2,1>2,2:9"


def test_a_turn_of_the_wargame_by_keyboard_alone(reader: Reader, page: Page) -> None:
    reader.sit(page.table(game="wargame"))
    expect(reader.see(".hint.source")).to_have_count(6)
    reader.see(".stage .board").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter", "ArrowUp", "Enter", "c"):
        reader.tab.keyboard.press(key)  # from C4 up to B4
    reader.turn(1)
    expect(reader.see(".turns li")).to_contain_text("C4 B4")


def test_two_persons_share_a_browser_and_take_turns_back_one_by_one(reader: Reader, page: Page) -> None:
    table = page.table(game="wargame")
    reader.sit(table)
    expect(reader.see(".turn-panel h2")).to_have_text("Your turn: Attacker")
    expect(reader.button("Take back")).to_have_count(0)
    play(page, table, 0, "C4 B4")
    expect(reader.see(".turn-panel h2")).to_have_text("Your turn: Defender")
    play(page, table, 1, "C0 D0")
    expect(reader.see(".turn-panel h2")).to_have_text("Your turn: Attacker")
    for turn, side in ((1, "Defender"), (0, "Attacker")):
        reader.button("Take back the last turn").click()
        reader.turn(turn)
        assert reader.pieces() == standing(page, table, turn)
        expect(reader.see(".turn-panel h2")).to_have_text(f"Your turn: {side}")
        expect(reader.see(".game > [role=log]")).to_have_text(f"Turns were taken back. Your turn: {side}.")


def test_against_a_player_of_ours_one_takes_back_one_s_own_turn(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", setup="duel", players=["human", "greedy"], time=5)
    reader.sit(table)
    play(page, table, 0, "8,6>8,7:8")
    reader.turn(2)
    reader.button("Take back my last turn").click()
    reader.turn(0)
    assert reader.pieces() == standing(page, table, 0)


@pytest.mark.parametrize(("game", "asked"), [("vampires", "**/positions/turn"), ("wargame", "**/positions")])
def test_the_buttons_of_a_turn_stand_still_while_it_is_asked_what_is_possible(
    reader: Reader, page: Page, game: str, asked: str
) -> None:
    held = reader.hold(asked)
    with reader.tab.expect_request(asked):
        reader.sit(page.table(game=game))
    expect(reader.see(".turn-panel h2")).to_be_visible()
    before = reader.button("Resign").bounding_box()
    held[0].continue_()
    expect(reader.see(".hint.source")).not_to_have_count(0)
    assert reader.button("Resign").bounding_box() == before


def test_self_destruction_is_asked_for_by_its_own_button(reader: Reader, page: Page) -> None:
    table = page.table(game="wargame")
    reader.sit(table)
    expect(reader.see(".hint.source")).to_have_count(6)
    reader.click_cell(4, 2)
    reader.button("Self-destruct at C4").click()
    reader.button("Play this turn").click()
    reader.turn(1)
    assert reader.pieces() == standing(page, table)


@pytest.mark.parametrize("game", ["vampires", "wargame"])
def test_how_it_is_played_is_told_in_the_games_own_words(reader: Reader, page: Page, game: str) -> None:
    reader.sit(page.table(game=game))
    reader.see(".turn-panel .rules summary").click()
    expect(reader.see(".turn-panel .rules li")).to_have_text(find_game(game).how_to_play.splitlines())


def test_in_a_paused_game_a_person_still_has_its_turn(reader: Reader, page: Page) -> None:
    reader.sit(page.table(game="wargame", players=["champion", "human"], time=1, paused=True))
    expect(reader.see(".turn-wait p")).to_have_text("The game is paused.")
    reader.button("One turn on").click()
    reader.turn(1)
    expect(reader.see(".turn-panel h2")).to_have_text("Your turn: Defender")


def test_resigning_takes_two_clicks(reader: Reader, page: Page) -> None:
    table = page.table(game="wargame", players=["random", "human"], time=5, seed=1)
    reader.sit(table)
    expect(reader.see(".turn-panel h2")).to_have_text("Your turn: Defender")
    reader.button("Resign").click()
    reader.button("Really resign?").click()
    expect(reader.see(".verdict h2")).to_have_text("Attacker won")


def test_a_game_is_started_from_the_first_page(reader: Reader, page: Page) -> None:
    reader.open()
    reader.see(".setup select").nth(1).select_option("random")
    reader.button("Start the game").click()
    expect(reader.see(".turn-panel h2")).to_have_text("Your turn: Vampires")
    expect(reader.see(".seat.first .player")).to_have_text("You")
    expect(reader.see(".seat.second .player")).to_have_text("random")
    reader.button("Resign").click()
    reader.button("Really resign?").click()
    ended = reader.tab.url
    reader.button("Play again").click()
    expect(reader.see(".turn-panel h2")).to_have_text("Your turn: Vampires")
    assert reader.tab.url != ended


def test_a_game_that_cannot_begin_now_can_be_tried_again(reader: Reader) -> None:
    reader.tab.route(
        "**/api/v1/tables",
        lambda route: (
            route.fulfill(status=503, json={"error": "too many are playing"})
            if route.request.method == "POST"
            else route.continue_()
        ),
    )
    reader.open()
    reader.button("Play AI Wargame").click()
    expect(reader.see(".pitch .error")).to_have_text("too many are playing")
    expect(reader.button("Play AI Wargame")).to_be_enabled()
    reader.problems.clear()  # the browser's own word about the answer 503


def test_a_game_with_a_limit_a_seed_and_the_majority_rule(reader: Reader, page: Page) -> None:
    reader.open()
    reader.see(".setup > details summary").click()
    reader.tab.get_by_label("Turns at most").fill("12")
    reader.tab.get_by_label("Seed of the dice").fill("345")
    reader.tab.get_by_label("Holding more than half of the cells wins").check()
    reader.button("Start the game").click()
    expect(reader.see(".turn-panel h2")).to_be_visible()
    made = page.get(f"/tables/{reader.tab.url.rsplit('/', 1)[1]}")
    assert (made["seed"], made["rules"]["plies"], made["rules"]["majority"]) == (345, 12, True)


def test_while_the_other_thinks_nothing_moves_away(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", setup="duel", players=["human", "greedy"], time=5)
    reader.sit(table)
    panels = ".extra"
    for turn, action in enumerate(("8,6>8,7:8", "8,7>8,6:8", "8,6>8,7:8")):
        expect(reader.see(".turn-panel")).to_be_visible()
        expect(reader.see(".turns li")).to_have_count(2 * turn)
        expect(reader.see(".turn-panel > .hint-text")).not_to_be_empty()
        before = reader.see(panels).bounding_box()
        reader.button("Pause").click()
        expect(reader.button("Play", exact=True)).to_be_visible()
        play(page, table, 0, action)
        expect(reader.see(".turn-wait")).to_contain_text("paused")
        while_waiting = reader.see(panels).bounding_box()
        reader.button("Play", exact=True).click()
    assert before is not None
    assert while_waiting is not None
    assert while_waiting["y"] == pytest.approx(before["y"], abs=1)


def test_the_other_s_turn_and_one_s_own_are_both_read_out(reader: Reader, page: Page) -> None:
    table = page.table(game="wargame")
    reader.sit(table)
    play(page, table, 0, "C4 B4")
    told = "Attacker: C4 B4. Attacker 54, Defender 54. Your turn: Defender."
    expect(reader.see(".game > [role=log]")).to_have_text(told)


def test_what_the_server_refuses_is_said_beside_the_form(reader: Reader, page: Page) -> None:
    reader.open()
    second = reader.see(".player-choice").nth(1)
    second.locator("select").select_option("alphabeta")
    second.locator("summary").click()
    second.get_by_label("depth", exact=True).fill("deep")
    reader.button("Start the game").click()
    expect(reader.see(".setup .error")).to_contain_text("depth")
    reader.problems = [problem for problem in reader.problems if "400" not in problem]  # the refusal itself


def test_who_only_looks_gets_no_means_to_play(browser: Browser, page: Page) -> None:
    table: dict[str, Any] = page.table(game="wargame")
    reader = Reader(browser, page)
    reader.sit(table, keys=False)
    play(page, table, 0, "C4 B4")
    reader.turn(1)
    expect(reader.see(".turn-panel")).to_have_count(0)
    reader.close()
    assert reader.problems == []
