"""Watching in a real browser: to the end, back through history, through a lost connection, by night and on a phone."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect

from noctagon.web.settings import Settings
from tests.web.chromium import Reader, play, standing
from tests.web.page import Page, running

pytestmark = pytest.mark.xdist_group("page")

TO_AND_FRO = ("8,6>8,7:8", "1,3>1,4:8", "8,7>8,6:8", "1,4>1,3:8")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def two_persons(page: Page, turns: int = 0) -> dict[str, Any]:
    """A game that goes on exactly when the test wants it to."""
    table = page.table(game="vampires", setup="duel")
    go_on(page, table, 0, turns)
    return table


def go_on(page: Page, table: dict[str, Any], first: int, last: int) -> None:
    for number in range(first, last):
        play(page, table, number % 2, TO_AND_FRO[number % 4])


def test_two_players_are_watched_to_the_end(browser: Browser, page: Page) -> None:
    table = page.table(game="vampires", setup="closet", players=["random", "random"], plies=24, time=5)
    reader = Reader(browser, page, reduced_motion="no-preference")
    reader.sit(table, keys=False)
    expect(reader.see(".verdict h2")).to_be_visible()
    match = page.context.tables.find(table["id"]).match
    reader.turn(len(match.turns))
    assert match.result is not None
    expect(reader.see(".verdict p")).to_contain_text(match.result.detail)
    expect(reader.see(".moving .piece")).to_have_count(0)  # everybody has arrived
    assert reader.pieces() == standing(page, table)
    assert reader.see(".graph .curve").count() == 2
    reader.close()
    assert reader.problems == []


def test_who_goes_back_is_not_dragged_to_the_present(reader: Reader, page: Page) -> None:
    table = two_persons(page, 4)
    reader.sit(table, keys=False)
    reader.turn(4)
    reader.button("One turn back").click()
    reader.button("One turn back").click()
    expect(reader.see(".where")).to_have_text("Turn 2 of 4")
    assert reader.pieces() == standing(page, table, 2)
    go_on(page, table, 4, 7)
    expect(reader.see(".where")).to_have_text("Turn 2 of 7")
    assert reader.pieces() == standing(page, table, 2)
    expect(reader.see(".turns [aria-current]")).to_contain_text(TO_AND_FRO[1])
    reader.button("Back to the present (5 on)").click()
    reader.turn(7)
    assert reader.pieces() == standing(page, table)
    go_on(page, table, 7, 8)
    reader.turn(8)
    assert reader.pieces() == standing(page, table)


def test_every_turn_can_be_gone_to(reader: Reader, page: Page) -> None:
    table = two_persons(page, 6)
    reader.sit(table, keys=False)
    reader.turn(6)
    slider = reader.tab.get_by_label("Turn shown")
    for turn in (0, 5, 1, 6, 3):
        slider.fill(str(turn))
        expect(reader.see(".where")).to_have_text(f"Turn {turn} of 6")
        assert reader.pieces() == standing(page, table, turn)
    reader.see(".turns li").nth(0).click()  # the newest is the first of the list
    reader.turn(6)
    reader.tab.keyboard.press("Home")
    expect(reader.see(".where")).to_have_text("Turn 0 of 6")


def test_a_lost_connection_is_told_and_made_good(reader: Reader, page: Page) -> None:
    table = two_persons(page, 2)
    reader.sit(table, keys=False)
    reader.turn(2)
    reader.context.set_offline(True)
    expect(reader.see(".banner")).to_contain_text("The connection is lost")
    go_on(page, table, 2, 5)
    reader.context.set_offline(False)
    expect(reader.see(".banner")).to_be_hidden()
    reader.turn(5)
    assert reader.pieces() == standing(page, table)
    reader.problems = [problem for problem in reader.problems if "ERR_INTERNET_DISCONNECTED" not in problem]


def test_a_complaint_does_not_hide_that_the_connection_is_lost(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", setup="duel", players=["random", "random"], paused=True)
    reader.tab.clock.install()
    reader.sit(table)
    reader.context.set_offline(True)
    expect(reader.see(".banner")).to_contain_text("The connection is lost")
    reader.button("Play", exact=True).click()
    expect(reader.see(".banner")).to_have_text("The server does not answer.")
    reader.tab.clock.fast_forward(7_000)
    expect(reader.see(".banner")).to_contain_text("The connection is lost")
    reader.context.set_offline(False)
    expect(reader.see(".banner")).to_be_hidden()
    reader.problems.clear()  # the browser's own words about the connection


def test_the_first_page_says_that_the_server_is_away_and_gets_what_is_missing(reader: Reader) -> None:
    away = ("**/api/v1/games", "**/api/v1/tables", "**/tables/demo")
    for address in away:
        reader.tab.route(address, lambda route: route.abort())
    reader.tab.clock.install()
    reader.open()
    expect(reader.see(".home .banner")).to_have_text("The server does not answer. Trying again …")
    for address in away:
        reader.tab.unroute(address)
    reader.tab.clock.fast_forward(15_000)
    expect(reader.see(".home .banner")).to_be_hidden()
    expect(reader.see(".setup")).to_be_visible()
    expect(reader.button("Play AI Wargame")).to_be_visible()
    expect(reader.see(".small-board .piece").first).to_be_visible()
    reader.context.set_offline(True)  # while a demonstration is shown
    expect(reader.see(".home .banner")).to_be_visible()
    reader.context.set_offline(False)
    expect(reader.see(".home .banner")).to_be_hidden()
    reader.problems.clear()


def test_the_lists_of_the_first_page_leave_the_focus_where_it_is(reader: Reader, page: Page) -> None:
    table = two_persons(page, 1)
    reader.tab.clock.install()
    reader.open()
    link = reader.see(f".lists a[href='#/game/{table['id']}']")
    expect(link).to_contain_text("turn 1")
    link.focus()
    go_on(page, table, 1, 2)
    newer = two_persons(page)
    reader.tab.clock.fast_forward(15_000)
    expect(link).to_contain_text("turn 2")
    expect(reader.see(f".lists a[href='#/game/{newer['id']}']")).to_be_visible()
    expect(link).to_be_focused()


def test_turns_taken_back_while_the_connection_was_lost(reader: Reader, page: Page) -> None:
    table = two_persons(page, 4)
    reader.sit(table, keys=False)
    reader.turn(4)
    reader.context.set_offline(True)
    expect(reader.see(".banner")).to_be_visible()
    with page.socket(f"/tables/{table['id']}/live") as live:
        page.post(f"/tables/{table['id']}/undo", {"side": 0, "key": table["keys"]["0"]})
        assert live.until("rewound") == 2
        while live.until("state")["waiting"] != 0:
            pass
    play(page, table, 0, "8,7>7,6:8")
    reader.context.set_offline(False)
    reader.turn(3)
    assert reader.pieces() == standing(page, table)
    reader.problems = [problem for problem in reader.problems if "ERR_INTERNET_DISCONNECTED" not in problem]


def test_whoever_made_a_game_pauses_and_steps_it(reader: Reader, page: Page) -> None:
    table = page.table(
        game="vampires", setup="duel", players=["random", "random"], time=5, pace=0.5, paused=True
    )
    reader.sit(table)
    reader.turn(0)
    expect(reader.button("Play").first).to_be_visible()
    reader.button("One turn on").click()
    reader.turn(1)
    reader.tab.keyboard.press("ArrowRight")
    reader.turn(2)
    assert reader.pieces() == standing(page, table, 2)
    reader.tab.evaluate("() => document.activeElement.blur()")  # on a button, the space bar is the button's
    reader.tab.keyboard.press("Space")
    expect(reader.see(".turns li:nth-child(4)")).to_be_attached()
    reader.tab.keyboard.press("Space")
    expect(reader.button("Play").first).to_be_visible()
    assert page.get(f"/tables/{table['id']}")["paused"]


def test_the_speed_is_the_game_s_own_for_its_maker(reader: Reader, page: Page) -> None:
    table = page.table(
        game="vampires", setup="duel", players=["random", "random"], time=5, paused=True, pace=1.0
    )
    reader.sit(table)
    speed = reader.tab.get_by_label("Speed")
    expect(speed).to_have_attribute("aria-valuetext", "1 s a turn")
    with reader.tab.expect_response("**/pace"):
        speed.fill("0")
    assert page.get(f"/tables/{table['id']}")["pace"] == 4
    page.post(f"/tables/{table['id']}/pace", {"key": table["key"], "pace": 0.3})  # in another tab
    expect(speed).to_have_attribute("aria-valuetext", "0.3 s a turn")
    expect(reader.see(".pace output")).to_have_text("0.3 s a turn")


def test_who_only_looks_on_is_offered_the_speed_of_what_is_shown_again(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", setup="duel", players=["random", "random"], time=5, paused=True)
    with page.socket(f"/tables/{table['id']}/live") as live:
        for _ in range(3):
            page.post(f"/tables/{table['id']}/step", {"key": table["key"]})
            live.until("frame")
    reader.sit(table, keys=False)
    reader.turn(3)
    speed = reader.tab.get_by_label("Speed")
    expect(speed).to_be_hidden()
    reader.button("To the first position").click()
    speed.fill("5")
    expect(speed).to_have_attribute("aria-valuetext", "at full speed")
    reader.button("Play").last.click()
    reader.turn(3)
    expect(speed).to_be_hidden()


def test_the_speed_a_game_is_begun_with_is_the_one_it_shows(reader: Reader) -> None:
    reader.open()
    offered = reader.tab.get_by_label("Speed").locator("option")
    expect(offered.first).to_be_attached()
    names = offered.all_text_contents()
    reader.tab.get_by_label("Speed").select_option("⅕ s a turn")
    reader.button("Start the game").click()
    expect(reader.see(".pace output")).to_have_text("⅕ s a turn")
    speed = reader.tab.get_by_label("Speed")
    assert speed.get_attribute("max") == str(len(names) - 1)
    for number, name in enumerate(names):
        speed.fill(str(number))
        expect(speed).to_have_attribute("aria-valuetext", name)


def test_a_game_that_is_gone_says_so(reader: Reader, page: Page) -> None:
    reader.open("/game/nothing")
    expect(reader.see(".sorry")).to_be_visible()
    reader.open("/nowhere")
    expect(reader.see(".sorry")).to_contain_text("There is no such page.")
    reader.problems = [problem for problem in reader.problems if "404" not in problem]


def test_a_game_that_goes_away_takes_the_means_to_play_it_along(reader: Reader, page: Page) -> None:
    table = two_persons(page, 3)
    reader.sit(table)
    expect(reader.see(".turn-panel")).to_be_visible()
    reader.context.set_offline(True)
    expect(reader.see(".banner")).to_contain_text("The connection is lost")
    del page.context.tables.by_id[table["id"]]
    reader.context.set_offline(False)
    expect(reader.see(".banner")).to_contain_text("not on the server any more")
    expect(reader.see(".turn-panel, .turn-wait")).to_have_count(0)
    reader.button("One turn back").click()  # what came can still be looked at
    expect(reader.see(".where")).to_have_text("Turn 2 of 3")
    reader.problems.clear()  # the browser's own words about the connection


def test_the_token_does_not_stay_in_the_address(browser: Browser) -> None:
    with running(Settings(token="secret")) as page:
        reader = Reader(browser, page)
        reader.tab.goto(f"{page.url}/?token=secret#/")
        expect(reader.see(".setup")).to_be_visible()
        assert reader.tab.url == f"{page.url}/#/"
        reader.close()
        assert reader.problems == []


def test_the_first_page_shows_a_game_that_is_being_played(reader: Reader, page: Page) -> None:
    reader.open()
    expect(reader.see(".small-board .piece").first).to_be_visible()
    expect(reader.see(".small-board .status")).not_to_have_text("Turn 0 · duel")
    expect(reader.see(".map")).to_have_count(len(page.get("/games")[0]["setups"]))
    reader.see(".small-board a").click()
    expect(reader.see(".game .board")).to_be_visible()
    expect(reader.see(".small-board")).to_have_count(0)


def test_where_there_is_no_room_for_a_demonstration_the_first_page_waits(reader: Reader) -> None:
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=503, json={"error": "16 players are at work already"})

    reader.tab.route("**/tables/demo", refuse)
    reader.tab.clock.install()
    reader.open()
    expect(reader.see(".demo-slot")).to_contain_text("All boards are taken.")
    expect(reader.see(".home [role=alert]:visible")).to_have_count(0)
    reader.tab.clock.run_for(14_000)
    assert len(asked) == 1
    with reader.tab.expect_request("**/tables/demo"):
        reader.tab.clock.run_for(2_000)
    reader.tab.unroute_all()
    reader.tab.clock.resume()
    reader.tab.clock.fast_forward(15_000)
    expect(reader.see(".demo-slot .small-board .board")).to_be_visible()
    reader.problems.clear()  # the browser's own word about the answer 503


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_day_and_night_follow_the_system_until_one_chooses(browser: Browser, page: Page, scheme: str) -> None:
    reader = Reader(browser, page, color_scheme=scheme)
    reader.sit(two_persons(page), keys=False)
    paper = "e => getComputedStyle(e).getPropertyValue('--paper').trim()"
    background = "e => getComputedStyle(e).backgroundColor"
    papers = {"light": "#f8f2e6", "dark": "#0b1022"}
    assert reader.see(".stage .board").evaluate(paper) == papers[scheme]
    before = reader.see("body").evaluate(background)
    other = {"light": "dark", "dark": "light"}[scheme]
    reader.button(f"Use the {other} theme").click()
    assert reader.see(".stage .board").evaluate(paper) == papers[other]
    assert reader.see("body").evaluate(background) != before
    reader.tab.reload()
    expect(reader.see(".stage .board")).to_be_visible()
    assert reader.see(".stage .board").evaluate(paper) == papers[other]
    reader.close()
    assert reader.problems == []


def test_a_phone_shows_everything_without_scrolling_sideways(browser: Browser, page: Page) -> None:
    reader = Reader(browser, page, **PHONE)
    width = "() => document.documentElement.scrollWidth"
    reader.open()
    expect(reader.see(".setup")).to_be_visible()
    expect(reader.see(".small-board .piece").first).to_be_visible()
    assert reader.tab.evaluate(width) == 390
    reader.sit(two_persons(page, 3))
    reader.turn(3)
    expect(reader.see(".turn-panel")).to_be_visible()
    assert reader.tab.evaluate(width) == 390
    reader.see(".hint.source").first.wait_for(state="attached")
    reader.click_cell(*reader.hints("source")[0])
    expect(reader.see(".count-picker")).to_be_visible()
    assert reader.tab.evaluate(width) == 390
    reader.close()
    assert reader.problems == []


def test_sound_is_off_until_asked_for_and_then_remembered(reader: Reader, page: Page) -> None:
    table = two_persons(page)
    reader.sit(table, keys=False)
    reader.button("Sound is off: turn it on").click()
    go_on(page, table, 0, 2)
    reader.turn(2)
    reader.tab.reload()
    expect(reader.button("Sound is on: turn it off")).to_be_visible()


def test_what_happens_is_read_out(reader: Reader, page: Page) -> None:
    table = two_persons(page)
    reader.sit(table, keys=False)
    play(page, table, 0, "8,6>9,7:8")
    voice = reader.see(".game > [role=log]")
    expect(voice).to_have_text("Vampires: 8,6>9,7:8. Vampires 8, Werewolves 8.")
