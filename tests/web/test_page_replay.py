"""Replay and analysis in a real browser: a file, the store, the mistakes, the champion's opinion, links, one file."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Request, expect

from noctagon.arena.store.store import Store
from noctagon.core.match import Match
from noctagon.core.player import Thought
from noctagon.core.registry import find_game
from noctagon.processes.workers import CallFailed
from noctagon.web.messages.positions import AnalysisUpdate
from noctagon.web.records.evaluating import evaluate
from noctagon.web.records.standalone import html
from noctagon.web.settings import Settings
from tests.web.chromium import Reader
from tests.web.page import Page, running
from tests.web.recorded import blundered, patient_game, random_game
from tests.web.third_game import installed

pytestmark = pytest.mark.xdist_group("page")

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
HOSTILE = "</script><img src=x onerror=alert(1)>"
DROP = """content => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], "game.json", { type: "application/json" }));
    for (const kind of ["dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }));
    }
}"""


@pytest.fixture(scope="module")
def match() -> Match:
    return random_game("vampires", "duel", plies=16, players=("first <b>", "human"))


@pytest.fixture(scope="module")
def page(match: Match, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("store")
    twins = random_game("wargame", plies=8, players=("alphabeta:depth=3,seed=1", "alphabeta:depth=1,seed=1"))
    (folder / "games.jsonl").write_bytes(b"".join(one.record().to_json() + b"\n" for one in (match, twins)))
    with Store.open(folder / "games.db") as store:
        store.import_records(folder / "games.jsonl")
    with running(Settings(store=str(folder / "games.db"))) as found:
        yield found


@pytest.fixture
def file(tmp_path: Path, match: Match) -> Path:
    path = tmp_path / "game.json"
    path.write_bytes(match.record().to_json())
    return path


def open_file(reader: Reader, path: Path) -> None:
    reader.open("/records")
    with reader.tab.expect_file_chooser() as chooser:
        reader.button("Open a file").click()
    chooser.value.set_files(path)


def shows(reader: Reader, match: Match, turn: int) -> None:
    expect(reader.see(".controls .where")).to_have_text(f"Turn {turn} of {len(match.turns)}")
    pieces = match.states[turn].view().pieces
    assert reader.pieces() == {(piece.x, piece.y, piece.count) for piece in pieces}


def uploaded(page: Page, record: bytes) -> str:
    told = page.client.post("/records", content=record).json()
    return str(told["replays"][0]["id"])


def oldest(page: Page) -> str:
    """The game that was in the store before any was played here."""
    return str(page.get("/records")["records"][-1]["id"])


def test_a_file_is_opened_and_stepped_through(reader: Reader, file: Path, match: Match) -> None:
    open_file(reader, file)
    shows(reader, match, 0)
    expect(reader.see(".seat .player").nth(0)).to_have_text("first <b>")
    expect(reader.see(".seat .player").nth(1)).to_have_text("human")
    reader.tab.keyboard.press("ArrowRight")
    reader.tab.keyboard.press("ArrowRight")
    shows(reader, match, 2)
    reader.tab.keyboard.press("ArrowLeft")
    shows(reader, match, 1)
    reader.tab.keyboard.press("End")
    shows(reader, match, len(match.turns))
    reader.see("input.scrub").fill("7")
    shows(reader, match, 7)
    expect(reader.see(".turns [aria-current] i")).to_have_text("7")
    reader.see(".turns button").nth(len(match.turns) - 4).click()
    shows(reader, match, 4)


def test_it_plays_by_itself_to_the_end(reader: Reader, file: Path, match: Match) -> None:
    open_file(reader, file)
    shows(reader, match, 0)
    reader.see(".pace input").fill("5")
    reader.tab.keyboard.press("Escape")
    reader.button("Play").last.click()
    shows(reader, match, len(match.turns))
    expect(reader.button("Play").last).to_be_visible()


def test_a_file_is_dropped_on_the_page(reader: Reader, match: Match) -> None:
    reader.open("/records")
    expect(reader.button("Open a file")).to_be_visible()
    reader.tab.evaluate(DROP, match.record().to_json().decode())
    shows(reader, match, 0)


def test_a_file_with_several_games(reader: Reader, tmp_path: Path, match: Match) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(blundered().to_json() + b"\n" + match.record().to_json() + b"\n")
    open_file(reader, path)
    expect(reader.tab.get_by_role("heading", name="games.jsonl: 2 games")).to_be_visible()
    reader.tab.get_by_role("link", name="hasty – careful").click()
    expect(reader.see(".controls .where")).to_have_text("Turn 0 of 2")


def test_a_file_that_is_no_record(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_text("hello")
    open_file(reader, path)
    expect(reader.see(".banner")).to_contain_text("notes.json: line 1: not a record of a game")
    reader.problems.clear()  # the browser tells of every answer that is a refusal


def test_the_store_is_looked_through(reader: Reader, match: Match) -> None:
    reader.open("/records")
    link = reader.tab.get_by_role("link", name="first <b> – human")
    expect(link).to_be_visible()
    reader.tab.get_by_label("Player").fill("nobody")
    expect(reader.see(".records")).to_contain_text("No game fits.")
    reader.tab.get_by_label("Player").fill("human")
    reader.tab.get_by_label("Game").select_option("vampires")
    link.click()
    shows(reader, match, 0)


def test_two_of_a_name_are_told_apart(reader: Reader) -> None:
    names = "alphabeta depth=3 – alphabeta depth=1"
    reader.open("/")
    kept = reader.see(".rows li", has_text=names)
    expect(kept.locator(".ended")).to_have_text(re.compile("^alphabeta depth=[13] won$"))
    reader.open("/records")
    row = reader.see(".record-table tr", has_text=names)
    expect(row).to_be_visible()
    row.get_by_role("link").click()
    heading = "Attacker (alphabeta depth=3) against Defender (alphabeta depth=1)"
    expect(reader.tab.get_by_role("heading", name=heading)).to_be_attached()


@pytest.mark.parametrize("width", [390, 1280])
def test_a_name_without_a_gap_stays_in_its_place(browser: Browser, page: Page, width: int) -> None:
    names = ("a_bot_with_a_name_of_forty_five_letters_in_it", "y" * 200)
    match = random_game("vampires", "duel", plies=2, players=names, thought=Thought(depth=3, nodes=10))
    reader = Reader(browser, page, viewport={"width": width, "height": 800})
    reader.open("/records")
    expect(reader.see(".record-table")).to_have_count(1)
    reader.tab.evaluate(DROP, match.record().to_json().decode() + "\n" + match.record().to_json().decode())
    expect(reader.see(".record-table")).to_have_count(2)
    wide = "box => box.scrollWidth > box.clientWidth"
    assert not reader.see(".table-scroll").first.evaluate(wide)
    reader.see(".record-table a").first.click()
    reader.tab.keyboard.press("End")
    expect(reader.see(".mind .who")).to_have_text(names)
    assert not reader.see("html").evaluate(wide)
    reader.close()
    assert reader.problems == []


def test_a_link_leads_to_a_turn(reader: Reader, page: Page, match: Match) -> None:
    number = oldest(page)
    reader.open(f"/replay/{number}/5")
    shows(reader, match, 5)
    reader.tab.keyboard.press("ArrowRight")
    reader.tab.wait_for_url(f"**/#/replay/{number}/6")
    reader.tab.reload()
    shows(reader, match, 6)


def test_mistakes_are_found_and_shown(reader: Reader, page: Page) -> None:
    reader.open(f"/replay/{uploaded(page, blundered().to_json())}")
    reader.button("Find the mistakes").click()
    mark = reader.tab.get_by_role("button", name="Turn 1, Attacker: blunder")
    expect(reader.button("Again")).to_be_visible()
    expect(reader.see(".summary")).to_have_text("Attacker: 1 blunder · Defender: nothing given away")
    mark.click()
    expect(reader.see(".controls .where")).to_have_text("Turn 1 of 2")
    expect(reader.see(".says")).to_contain_text("Defender 100 % · a blunder: gave away 100 %")
    reader.button("Better: A1 A0").click()
    expect(reader.see(".controls .where")).to_have_text("Turn 0 of 2")
    expect(reader.see(".advice .advised")).to_have_count(1)
    reader.tab.keyboard.press("ArrowRight")
    expect(reader.see(".advice .advised")).to_have_count(0)


def test_only_dice_are_lucky(reader: Reader, page: Page) -> None:
    game = find_game("vampires")
    match = Match(game, game.parse_position("3x3 H1,0:2 V0,0:6 W2,2:6 V 0"), seed=1)
    for action in ("0,0>1,0:6", "2,2>2,1:6", "1,0>2,1:8"):  # a house, a quiet turn, a battle with dice
        match.answer(action, 0.1)
    told = {"text": "", "loss": 0, "mark": "", "best": "", "line": [], "arrows": []}
    chances = [
        {**told, "n": n, "side": n % 2, "chance": chance, "expected": chance}
        for n, chance in enumerate((0.2, 0.6, 0.2, 0.6))
    ]
    body = "".join(json.dumps(line) + "\n" for line in ({"turns": 3}, *chances, {"done": True}))
    reader.tab.route("**/evaluation", lambda route: route.fulfill(body=body))
    reader.open(f"/replay/{uploaded(page, match.record().to_json())}")
    reader.button("Find the mistakes").click()
    expect(reader.button("Again")).to_be_visible()
    for turn, lucky in ((1, 0), (2, 0), (3, 1)):
        reader.tab.keyboard.press("ArrowRight")
        expect(reader.see(".controls .where")).to_have_text(f"Turn {turn} of 3")
        expect(reader.see(".says .luck")).to_have_count(lucky)


def test_an_evaluation_can_be_stopped(reader: Reader, page: Page) -> None:
    reader.open(f"/replay/{uploaded(page, patient_game(60).to_json())}")
    reader.see(".evaluation select").select_option("thoroughly")
    reader.button("Find the mistakes").click()
    expect(reader.see(".evaluation .progress")).to_have_text("0 of 60")
    reader.see(".evaluation").get_by_role("button", name="Stop").click()
    expect(reader.see(".evaluation .progress")).to_have_text("stopped")
    while page.context.uploads.evaluating:
        page.get("/games")


def test_the_champion_is_asked(reader: Reader, page: Page) -> None:
    reader.open(f"/replay/{uploaded(page, blundered().to_json())}")
    panel = reader.see(".analysis")
    panel.get_by_role("button", name="Analyse").click()
    best = panel.locator(".line-row").first
    expect(best.locator(".action")).to_have_text("A1 A0")
    expect(best.locator("b")).to_have_text("wins in 1")
    expect(panel.locator(".why")).to_contain_text("Why A1 A0?")
    expect(reader.see(".advice .advised")).to_have_count(1)
    other = panel.locator(".line-row").nth(1)
    other.focus()
    expect(other).to_have_attribute("aria-pressed", "true")
    expect(panel.locator(".why")).not_to_contain_text("Why A1 A0?")
    reader.tab.keyboard.press("ArrowRight")
    expect(best.locator(".action")).to_have_text("E3 E4")
    reader.tab.keyboard.press("End")
    expect(panel.locator(".search-state")).to_have_text("The game is over here.")
    expect(reader.see(".advice .advised")).to_have_count(0)


def test_reasons_do_not_contradict_the_ranking(reader: Reader) -> None:
    reader.open("/records")
    script = """async ([terms, other]) =>
        (await import('/static/js/reasons.js')).sentences(terms, other).join(' ')"""
    other = {"name": "E3 E4", "terms": {"learned": 1, "creatures": 5}, "liked": True}

    def why(liked: bool, **terms: float) -> str:
        return str(reader.tab.evaluate(script, [terms, {**other, "liked": liked}]))

    ahead = "At first sight it is ahead of E3 E4 in the neural network's view of the position (+14)"
    assert why(True, learned=15, creatures=5) == f"{ahead}. What follows decides."
    assert why(False, learned=15, creatures=5) == f"{ahead}."
    assert why(True, learned=15, creatures=2) == f"{ahead}, and behind in creatures (−3)."
    assert why(True, learned=1, creatures=2) == "At first sight it is behind E3 E4 in creatures (−3)."


def test_what_went_wrong_with_an_analysis_stays_told(
    reader: Reader, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any, **__: Any) -> AsyncGenerator[AnalysisUpdate]:
        yield AnalysisUpdate(depth=0, nodes=0, seconds=0.0, lines=[], done=False)
        raise CallFailed("its last words")

    monkeypatch.setattr(page.context.analysis_pool, "stream", broken)
    reader.open("/position/vampires/3x3%20V0,0:4%20W2,2:4%20V%200")
    expect(reader.see(".search-state")).to_have_text("the analysis broke down")
    button = reader.button("Stop")
    button.click()
    with reader.tab.expect_websocket() as opened:
        reader.button("Analyse").click()
    if not opened.value.is_closed():
        opened.value.wait_for_event("close")
    reader.tab.evaluate("new Promise(done => setTimeout(done))")  # the page has heard of it too
    expect(reader.see(".search-state")).to_have_text("the analysis broke down")


def test_counts_are_seen_above_all_arrows(reader: Reader, page: Page) -> None:
    reader.open(f"/replay/{uploaded(page, blundered().to_json())}/1")
    reader.button("Analyse").click()
    expect(reader.see(".advice .advised")).to_have_count(1)
    follows = "(one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING"
    above = f"count => [...document.querySelectorAll('.stage .way')].every(way => ({follows})(way, count))"
    assert reader.see(".stage .way").count() > 1
    assert reader.see(".stage .count").first.evaluate(above)


def test_the_plan_of_a_person_is_seen_above_the_champions(reader: Reader, page: Page) -> None:
    reader.sit(page.table(game="wargame"))
    reader.button("Analyse").click()
    expect(reader.see(".advice .advised").first).to_be_attached()
    reader.click_cell(4, 2)
    reader.button("Self-destruct at C4").click()
    above = (
        "plan => Boolean(document.querySelector('.advice').compareDocumentPosition(plan) & 4)"  # it follows
    )
    assert reader.see(".stage .plan .planned").evaluate(above)


def test_the_champion_is_asked_during_a_game(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires", setup="duel")
    reader.sit(table)
    reader.button("Analyse").click()
    expect(reader.see(".analysis .line-row")).to_have_count(4)
    expect(reader.see(".analysis .why")).to_contain_text("the race for the houses")
    expect(reader.see(".analysis .line-row .depth")).to_have_text([re.compile(r"depth \d+")] * 4)
    page.post(f"/tables/{table['id']}/resign", {"side": 0, "key": table["keys"]["0"]})
    expect(reader.see(".verdict")).to_be_visible()


def test_a_finished_game_becomes_a_replay(reader: Reader, page: Page) -> None:
    table = page.table(game="wargame", players=["greedy", "greedy"], plies=6)
    reader.sit(table, keys=False)
    reader.button("Find the mistakes").click()
    expect(reader.see(".replay .controls .where")).to_have_text("Turn 0 of 6")


def test_a_position_is_shared_as_a_link(browser: Browser, page: Page, match: Match) -> None:
    reader = Reader(browser, page, permissions=["clipboard-read", "clipboard-write"])
    number = oldest(page)
    reader.open(f"/replay/{number}/9")
    shows(reader, match, 9)
    reader.button("Link to this position").click()
    expect(reader.see(".said")).to_have_text("Copied.")
    link = reader.tab.evaluate("navigator.clipboard.readText()")
    assert "plies=16" in link
    reader.tab.goto("about:blank")
    reader.tab.goto(link)
    expect(reader.see(".position .facts")).to_contain_text("turn 9 of 16")
    pieces = match.states[9].view().pieces
    assert reader.pieces() == {(piece.x, piece.y, piece.count) for piece in pieces}
    expect(reader.see(".line-row").first).to_be_visible()
    reader.button(f"Play the {match.initial.sides[match.states[9].side]} from here").click()
    expect(reader.see(".turn-panel")).to_be_visible()
    reader.close()
    assert reader.problems == []


def test_a_link_to_a_position_that_cannot_be(reader: Reader) -> None:
    reader.open("/position/vampires/3x3%20V9,9:1%20V%200")
    expect(reader.see(".sorry")).to_be_visible()
    reader.problems.clear()  # the browser tells of every answer that is a refusal


# One file.


def alone(browser: Browser, page: Page, path: Path, **context: Any) -> tuple[Reader, list[str]]:
    """A file opened from a disk, without a network; and all that it asked for."""
    reader = Reader(browser, page, offline=True, **context)
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    reader.tab.on("request", note)
    reader.tab.goto(path.as_uri())
    return reader, asked


@pytest.fixture(scope="module")
def written(match: Match, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stick") / "game.html"
    record = msgspec.structs.replace(match.record(), players=(HOSTILE, "greedy"))
    path.write_text(html(record, evaluate(record, 0.03)), encoding="utf-8")
    return path


def test_the_file_works_by_itself(browser: Browser, page: Page, written: Path, match: Match) -> None:
    reader, asked = alone(browser, page, written)
    shows(reader, match, 0)
    expect(reader.see(".seat .player").first).to_contain_text("</script><img")
    for turn in range(1, 4):
        reader.tab.keyboard.press("ArrowRight")
        shows(reader, match, turn)
    reader.tab.keyboard.press("End")
    shows(reader, match, len(match.turns))
    assert reader.see(".evaluation .chance-curve").get_attribute("d") is not None
    reader.button("Play").last.click()
    expect(reader.see(".controls .where")).to_have_text(f"Turn 2 of {len(match.turns)}")
    reader.tab.keyboard.press(" ")
    reader.button("Use the dark theme").click()
    expect(reader.see("html")).to_have_attribute("data-theme", "dark")
    reader.close()
    assert asked == [written.as_uri()]
    assert reader.problems == []


def test_the_file_fits_a_phone(browser: Browser, page: Page, written: Path) -> None:
    reader, _ = alone(browser, page, written, **PHONE)
    expect(reader.see(".stage .board")).to_be_visible()
    assert reader.tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert reader.tab.evaluate("scrollY") == 0
    reader.close()
    assert reader.problems == []


def test_the_page_saves_the_file(browser: Browser, page: Page, tmp_path: Path, match: Match) -> None:
    reader = Reader(browser, page, accept_downloads=True)
    reader.open(f"/replay/{oldest(page)}")
    with reader.tab.expect_download() as download:
        reader.tab.get_by_role("link", name="Save as a page").click()
    download.value.save_as(tmp_path / "saved.html")
    reader.close()
    saved, asked = alone(browser, page, tmp_path / "saved.html")
    shows(saved, match, 0)
    saved.close()
    assert len(asked) == 1
    assert saved.problems + reader.problems == []


def test_a_game_without_pictures_is_drawn_with_letters(browser: Browser, page: Page, tmp_path: Path) -> None:
    record, out = tmp_path / "game.json", tmp_path / "game.html"
    environment = installed(tmp_path / "site")
    play = [
        "play",
        "tictactoe",
        "alphabeta:depth=9",
        "random",
        "--seed",
        "1",
        "--json",
        "--record",
        str(record),
    ]
    for words in (play, ["replay", str(record), "--html", str(out), "--evaluate", "0.05"]):
        subprocess.run(
            [sys.executable, "-m", "noctagon", *words], check=True, capture_output=True, env=environment
        )
    turns = json.loads(record.read_bytes())["turns"]
    reader, _ = alone(browser, page, out)
    reader.tab.keyboard.press("End")
    expect(reader.see(".controls .where")).to_have_text(f"Turn {len(turns)} of {len(turns)}")
    letters = reader.see(".tallies .count").all_text_contents()
    assert sorted(letters) == sorted("xo"[number % 2] for number in range(len(turns)))
    reader.close()
    assert reader.problems == []
