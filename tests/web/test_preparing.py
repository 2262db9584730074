"""The page is there before anything is compiled, says how far that is, and uses what is ready."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from noctagon.processes.workers import CallFailed
from noctagon.web import preparing
from noctagon.web.messages.preparing import PartView, PreparationView
from noctagon.web.preparing import Compiled, Preparation, compile_part_of
from tests.web.compiling import SlowPreparation
from tests.web.page import Page, assert_is, running

AGAINST_CHAMPION = {"game": "wargame", "players": ["champion", "human"], "time": 0.1}


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SlowPreparation:
    monkeypatch.setattr(preparing, "PATIENCE", 0.0)
    return SlowPreparation(tmp_path)


@pytest.fixture
def page(slow: SlowPreparation) -> Iterator[Page]:
    """A server that compiles for as long as the test wants."""
    with running(preparation=slow) as found:
        yield found


def told(page: Page) -> dict[str, Any]:
    """What the server says of each part, by its game and name."""
    return {f"{part['game']} {part['part']}": part for part in page.get("/preparation")["parts"]}


def test_the_page_is_there_while_everything_is_still_being_compiled(
    page: Page, slow: SlowPreparation
) -> None:
    assert page.client.get(page.url).status_code == 200
    assert {game["name"] for game in page.get("/games")} >= {"vampires", "wargame"}
    assert page.get("/tables") == []
    assert slow.playable == []


def test_how_far_it_is_is_told(page: Page, slow: SlowPreparation) -> None:
    view = page.get("/preparation")
    assert_is(PreparationView, view)
    assert not view["ready"]
    rules = told(page)["wargame rules"]
    assert (rules["what"], rules["state"], rules["functions"], rules["total"]) == (
        "the rules of AI Wargame",
        "compiling",
        4,
        10,
    )
    assert rules["text"].startswith("4 of 10 functions")
    assert told(page)["wargame champion"]["text"] == "waits for its turn"
    page.wait_for(slow.release_all())
    assert page.get("/preparation")["ready"]
    assert {part["text"] for part in told(page).values()} == {"ready"}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/tables", AGAINST_CHAMPION),
        ("/positions", {"game": "wargame", "position": "start"}),
        ("/analysis", {"game": "wargame", "position": "start"}),
    ],
)
def test_what_is_not_ready_says_so_at_once(page: Page, path: str, body: dict[str, Any]) -> None:
    response = page.client.post(path, json=body)
    assert response.status_code == 503
    assert response.headers["retry-after"] == "1"
    assert response.json()["error"] == (
        "the rules of AI Wargame must be compiled first, this one time only: 4 of 10 functions, "
        f"{response.json()['error'].split('functions, ')[1]}"
    )


def test_the_demonstration_begins_with_what_is_ready_first(page: Page, slow: SlowPreparation) -> None:
    assert page.client.get("/tables/demo").status_code == 503
    page.wait_for(slow.release("wargame", "rules"))
    for _ in range(2):
        demo = page.get("/tables/demo")
        assert demo["game"] == "wargame"
        players = page.get(f"/tables/{demo['id']}")["players"]
        assert all(player.startswith("alphabeta") for player in players)
        page.wait_for(page.context.tables.find(demo["id"]).stop("the next one, please"))


def test_a_champion_that_is_not_ready_says_so_and_then_plays(page: Page, slow: SlowPreparation) -> None:
    page.wait_for(slow.release("wargame", "rules"))
    table = page.table(**AGAINST_CHAMPION)
    with page.socket(f"/tables/{table['id']}/live") as stream:
        why = stream.until("snapshot")["preparing"] or stream.until("state")["preparing"]
        assert why.startswith("The champion of AI Wargame is being compiled, this one time only.")
        assert ("wargame", "champion") in slow.begun
        page.wait_for(slow.release("wargame", "champion"))
        assert stream.until("frame")["side"] == 0
    assert page.get(f"/tables/{table['id']}")["preparing"] == ""


def test_a_game_that_waits_for_its_champion_can_be_stopped(page: Page, slow: SlowPreparation) -> None:
    page.wait_for(slow.release("wargame", "rules"))
    table = page.table(**AGAINST_CHAMPION)
    page.client.delete(f"/tables/{table['id']}", params={"key": table["key"]}).raise_for_status()
    assert page.get(f"/tables/{table['id']}")["result"]["reason"] == "stopped"


def test_the_options_of_a_champion_are_checked_before_it_is_ready(page: Page, slow: SlowPreparation) -> None:
    page.wait_for(slow.release("wargame", "rules"))
    status, sentence = page.refusal("/tables", {**AGAINST_CHAMPION, "players": ["champion:depht=3", "human"]})
    assert (status, "no option 'depht'" in sentence) == (400, True)


def test_other_players_need_no_champion(page: Page, slow: SlowPreparation) -> None:
    page.wait_for(slow.release("wargame", "rules"))
    table = page.table(game="wargame", players=["alphabeta:depth=1", "human"])
    with page.socket(f"/tables/{table['id']}/live") as stream:
        assert stream.until("frame")["side"] == 0


def test_everything_is_compiled_once(tmp_path: Path) -> None:
    first, second = SlowPreparation(tmp_path), SlowPreparation(tmp_path)
    with running(preparation=first) as page:
        page.wait_for(first.release_all())
    assert len(first.begun) == len(first.parts)
    with running(preparation=second) as page:
        page.wait_for(second.finished())
    assert second.begun == []


def test_what_could_not_be_compiled_is_used_all_the_same_and_compiled_next_time(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    begun: list[str] = []

    async def broken(game: str, part: str) -> Any:
        begun.append(f"{game} {part}")
        yield Compiled(1, 0)
        raise CallFailed("a worker process ended")

    for _ in range(2):
        preparation = Preparation(compile_part=broken, find_folder=lambda: tmp_path)
        with running(preparation=preparation) as page:
            page.wait_for(preparation.finished())
            assert told(page)["wargame rules"]["state"] == "failed"
            assert page.table()["id"]
    assert begun.count("wargame rules") == 2
    assert "noctagon: the rules of AI Wargame: a worker process ended" in capfd.readouterr().err


def test_nobody_waits_for_a_preparation_that_cannot_begin(capfd: pytest.CaptureFixture[str]) -> None:
    def broken() -> Path:
        raise ImportError("no compiler")

    preparation = Preparation(find_folder=broken)
    with running(preparation=preparation) as page:
        page.wait_for(preparation.finished())
        assert page.table()["id"]
    assert "the games cannot be compiled beforehand: ImportError: no compiler" in capfd.readouterr().err


@pytest.mark.parametrize("part", ["rules", "champion"])
def test_a_part_is_compiled_without_a_word_on_the_terminal(
    part: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    assert next(iter(list(compile_part_of("wargame", part)))) == Compiled(0, 0)
    assert capfd.readouterr() == ("", "")


def test_the_time_left_is_estimated_from_the_functions_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("noctagon.web.preparing.time.monotonic", lambda: now[0])
    part = preparing.PreparedPart("chess", "rules", "the rules of chess")
    part.progressed(Compiled(0, 20))
    assert part.view().left is None
    now[0] += 5.0
    part.progressed(Compiled(10, 20))
    assert part.view() == PartView(
        game="chess",
        part="rules",
        what="the rules of chess",
        state="compiling",
        functions=10,
        total=20,
        left=5.0,
        text="10 of 20 functions, about 5 s left",
    )
