"""Games that are played at the page: made, played by persons and players, paused, taken back, stopped."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from noctagon.arena.store.store import Store
from noctagon.core.record import decode
from noctagon.core.registry import find_game
from noctagon.processes import system as process
from noctagon.processes.worker_seat import WorkerSeat
from noctagon.web.messages.tables import Snapshot, Thinking
from noctagon.web.settings import Settings
from noctagon.web.tables.table import Table
from tests.web.page import Page, assert_is, running


def act(page: Page, table: dict[str, Any], what: str, side: int, **more: Any) -> Any:
    return page.post(f"/tables/{table['id']}/{what}", {"side": side, "key": table["keys"][str(side)], **more})


def test_two_persons_play_the_wargame(page: Page) -> None:
    table = page.table()
    with page.socket(f"/tables/{table['id']}/live") as live:
        first = live.until("snapshot")
        assert (first["waiting"], first["humans"], first["frames"]) in (
            (0, [True, True], []),
            (None, [True, True], []),
        )
        assert live.until("state")["waiting"] == 0
        act(page, table, "turn", 0, action="C4 C3")
        frame = live.until("frame")
        assert (frame["n"], frame["side"], frame["mover"], frame["action"]) == (1, 0, 1, "C4 C3")
        assert sorted(frame["changes"]) == [[3, 2, "program", 0, 9, "aP9"], [4, 2, None, None, 0, ""]]
        act(page, table, "resign", 1)
        assert live.until("end")["reason"] == "resignation"
    whole = page.get(f"/tables/{table['id']}")
    assert whole["result"]["winner"] == 0
    assert not whole["live"]


def test_frames_lead_to_the_position_of_the_record(page: Page) -> None:
    table = page.post(
        "/tables", {"game": "vampires", "players": ["greedy", "random"], "setup": "duel", "plies": 30}
    )
    with page.socket(f"/tables/{table['id']}/live") as live:
        live.until("end")
    whole = page.get(f"/tables/{table['id']}")
    assert_is(Snapshot, whole)
    board = {(piece["x"], piece["y"]): [*piece.values()] for piece in whole["view"]["pieces"]}
    for frame in whole["frames"]:
        for x, y, kind, *rest in frame["changes"]:
            board.pop((x, y), None)
            if kind is not None:
                board[x, y] = [x, y, kind, *rest]
    final = decode(page.client.get(f"/tables/{table['id']}/record").content).final()
    assert {(piece.x, piece.y): piece.label for piece in final.view().pieces} == {
        cell: piece[-1] for cell, piece in board.items()
    }
    assert [frame["n"] for frame in whole["frames"]] == list(range(1, len(whole["frames"]) + 1))
    assert any(frame.get("thought") for frame in whole["frames"])


def test_battles_are_told_with_their_odds(page: Page) -> None:
    table = page.table(
        game="vampires", position="3x3 H1,1:3 V0,0:4 W2,2:4 V 0", players=["human", "human"], seed=1
    )
    with page.socket(f"/tables/{table['id']}/live") as live:
        live.until("state")
        act(page, table, "turn", 0, action="0,0>1,1:2")
        (battle,) = live.until("frame")["battles"]
    assert (battle["x"], battle["y"]) == (1, 1)
    assert 0 < battle["odds"] < 1
    assert "3 humans" in battle["text"]
    assert battle["detail"]


def test_a_battle_that_chance_has_no_say_in_is_told_too(page: Page) -> None:
    table = page.table(game="vampires", position="3x3 H1,1:3 V0,0:4 W2,2:4 V 0")
    with page.socket(f"/tables/{table['id']}/live") as live:
        live.until("state")
        act(page, table, "turn", 0, action="0,0>1,1:3 0,0>0,1:1")
        (battle,) = live.until("frame")["battles"]
    assert (battle["x"], battle["y"], battle["odds"], battle["won"]) == (1, 1, 1.0, True)
    assert battle["detail"] == "humans: 3 taken, 6 stand"


def test_the_position_after_every_turn_as_text(page: Page) -> None:
    table = page.table()
    act(page, table, "turn", 0, action="C4 B4")
    states = page.context.tables.find(table["id"]).match.states
    for turn, state in enumerate(states):
        told = page.get(f"/tables/{table['id']}/positions/{turn}")
        assert told == {"position": find_game("wargame").format_position(state)}
    refused = page.client.get(f"/tables/{table['id']}/positions/{len(states)}")
    assert (refused.status_code, refused.json()["error"]) == (
        400,
        "1 turns were played, so there is no position after 2",
    )


def test_a_person_against_a_player_takes_a_turn_back(page: Page) -> None:
    table = page.table(players=["human", "random"], seed=3)
    with page.socket(f"/tables/{table['id']}/live") as live:
        live.until("snapshot")
        while live.until("state")["waiting"] != 0:
            pass
        act(page, table, "turn", 0, action="C4 C3")
        assert live.until("frame")["n"] == 1
        assert live.until("frame")["n"] == 2
        while live.until("state")["waiting"] != 0:
            pass
        act(page, table, "undo", 0)
        assert live.until("rewound") == 0
        while live.until("state")["waiting"] != 0:
            pass
        act(page, table, "turn", 0, action="D3 C3")
        assert live.until("frame")["action"] == "D3 C3"
        assert live.until("frame")["side"] == 1


def test_a_turn_is_taken_back_while_the_other_thinks(page: Page) -> None:
    table = page.table(players=["human", "champion"], time=60)
    with page.socket(f"/tables/{table['id']}/live") as live:
        live.until("snapshot")
        while live.until("state")["waiting"] != 0:
            pass
        act(page, table, "turn", 0, action="C4 C3")
        while live.until("state")["waiting"] != 1:
            pass
        act(page, table, "undo", 0)
        assert live.until("rewound") == 0
        while live.until("state")["waiting"] != 0:
            pass
        act(page, table, "resign", 0)
        live.until("end")


def test_between_two_persons_one_turn_is_taken_back(page: Page) -> None:
    table = page.table()
    with page.socket(f"/tables/{table['id']}/live") as live:
        live.until("state")
        act(page, table, "turn", 0, action="C4 C3")
        live.until("frame")
        act(page, table, "undo", 0)
        assert live.until("rewound") == 0
        assert live.until("state")["waiting"] == 0


def test_what_is_wrong_with_a_turn_is_said_and_nothing_happens(page: Page) -> None:
    table = page.table()
    where, key = f"/tables/{table['id']}", table["keys"]["0"]
    with page.socket(f"{where}/live") as live:
        live.until("state")
        status, words = page.refusal(f"{where}/turn", {"side": 0, "key": key, "action": "A0 A1"})
        assert (status, "enemy's" in words) == (400, True)
        assert page.refusal(f"{where}/turn", {"side": 0, "key": key, "action": "hop"})[0] == 400
        assert page.refusal(f"{where}/turn", {"side": 1, "key": table["keys"]["1"], "action": "A0 B0"}) == (
            400,
            "it is not your turn",
        )
        assert page.refusal(f"{where}/turn", {"side": 0, "key": "guess", "action": "C4 C3"})[0] == 403
        assert page.refusal(f"{where}/undo", {"side": 0, "key": key}) == (
            400,
            "there is no turn of yours to take back",
        )
    assert page.get(where)["frames"] == []


def test_pause_step_pace_and_resume(page: Page) -> None:
    table = page.table(game="vampires", players=["random", "random"], plies=6, paused=True)
    where = f"/tables/{table['id']}"
    with page.socket(f"{where}/live") as live:
        assert live.until("snapshot")["paused"]
        page.post(f"{where}/step")
        assert live.until("frame")["n"] == 1
        assert page.get(where)["paused"]
        page.post(f"{where}/step")
        assert live.until("frame")["n"] == 2
        assert page.post(f"{where}/pace", {"pace": 0.0})["pace"] == 0.0
        assert not page.post(f"{where}/resume")["paused"]
        live.until("end")
    assert page.refusal(f"{where}/pause") == (400, "the game is over")


def test_nobody_steers_a_game_of_somebody_else(page: Page) -> None:
    table = page.table(players=["human", "random"])
    demo = page.get("/tables/demo")
    with httpx.Client(base_url=page.api, timeout=60) as stranger:
        for what, body in (
            ("pause", None),
            ("resume", {}),
            ("step", {"key": "guess"}),
            ("pace", {"pace": 60}),
        ):
            for which in (table, demo):
                assert stranger.post(f"/tables/{which['id']}/{what}", json=body).status_code == 403
        for key in (table["key"], table["keys"]["0"]):
            assert stranger.post(f"/tables/{table['id']}/pause", json={"key": key}).json()["paused"]
    assert not page.post(f"/tables/{table['id']}/resume")["paused"]  # this one made it


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"players": ["nobody", "random"]}, "not one of our players"),
        ({"players": ["tests/bots/broken.py:Crash", "random"]}, "not one of our players"),
        ({"players": ["cmd:touch /tmp/x", "random"]}, "not one of our players"),
        ({"players": ["human:a=b", "random"]}, "no options"),
        ({"players": ["alphabeta:depth=deep", "random"]}, "whole number"),
        ({"players": ["alphabeta:colour=red", "random"]}, "no option"),
        ({"players": ["champion:threads=64", "random"]}, "threads"),
        ({"setup": "/etc/passwd"}, "no setup"),
        ({"position": "rubbish"}, ""),
        ({"rules": "none"}, "rule set"),
        ({"game": "vampires", "position": "255x255 V0,0:1 W1,1:1 V 0"}, "cells"),
        ({"position": ". " * 24 + "dA9 a 0"}, "over"),
    ],
)
def test_a_table_that_cannot_be(page: Page, given: dict[str, Any], words: str) -> None:
    status, told = page.refusal("/tables", {"game": "wargame", "players": ["random", "random"], **given})
    assert status == 400
    assert words in told


def test_tables_are_listed_and_their_maker_stops_them(page: Page) -> None:
    table = page.table()
    line = next(line for line in page.get("/tables") if line["id"] == table["id"])
    assert (line["live"], line["origin"], line["players"]) == (True, "page", ["human", "human"])
    assert page.client.delete(f"/tables/{table['id']}", params={"key": "no"}).status_code == 403
    assert page.client.delete(f"/tables/{table['id']}", params={"key": table["key"]}).status_code == 200
    result = page.get(f"/tables/{table['id']}")["result"]
    assert result == {
        "winner": None,  # though the defender would be the one if time had run out
        "reason": "stopped",
        "detail": "by the player who began it",
        "text": "Stopped: by the player who began it",
    }


def test_everybody_watches_the_same_demonstration(page: Page) -> None:
    first, second = page.get("/tables/demo"), page.get("/tables/demo")
    assert first == second
    with page.socket(f"/tables/{first['id']}/live") as live:
        assert live.until("snapshot")["origin"] == "demo"
        assert live.until("frame")["n"] == 1
    named = page.get("/tables/demo", params={"game": "wargame"})
    assert page.get(f"/tables/{named['id']}")["game"] == "wargame"


def test_a_player_tells_what_it_thinks_while_it_does(page: Page) -> None:
    table = page.table(players=["champion", "human"], time=3)
    with page.socket(f"/tables/{table['id']}/live") as live:
        told = live.until("thinking")
        assert_is(Thinking, told)
        assert (told["side"], told["line"] != [], told["arrows"] != []) == (0, True, True)
        assert live.until("frame")["thought"]["depth"] >= told["depth"]
        act(page, table, "resign", 1)


def test_a_bot_whose_process_is_killed_loses_only_its_game(page: Page) -> None:
    other = page.table()
    table = page.table(players=["champion", "random"], time=60)
    with page.socket(f"/tables/{table['id']}/live") as live:
        while live.until("state")["waiting"] != 0:
            pass
        seat = page.context.tables.by_id[table["id"]].seats[0].inner
        assert isinstance(seat, WorkerSeat)
        process.end_tree(seat.pid)
        assert live.until("end")["reason"] == "crash"
    assert page.get(f"/tables/{other['id']}")["live"]


def test_a_game_that_nobody_watches_is_stopped_and_its_processes_end() -> None:
    with running(unwatched_seconds=0.2) as page:
        ended = threading.Event()
        table = page.table(players=["champion", "champion"], time=60)
        found = page.context.tables.by_id[table["id"]]
        before = found._ended

        def notice(which: Table) -> None:
            before(which)
            ended.set()

        found._ended = notice
        assert ended.wait(60)
        assert page.get(f"/tables/{table['id']}")["result"]["detail"].startswith("nobody watched")
        assert [process.use(seat.inner.pid) for seat in found.seats] == [None, None]  # type: ignore[attr-defined]


def test_a_mistake_of_ours_ends_one_game_only(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    other, table = page.table(), page.table()
    with page.socket(f"/tables/{table['id']}/live") as live:
        live.until("snapshot")
        with monkeypatch.context() as patch:
            patch.setattr("noctagon.web.tables.table.frame_of", lambda *_: 1 / 0)
            act(page, table, "turn", 0, action="C4 C3")
            assert "ZeroDivisionError" in live.until("end")["detail"]
    assert page.get(f"/tables/{other['id']}")["live"]


def test_too_many_players_are_refused() -> None:
    with running(players=1) as page:
        assert page.refusal("/tables", {"game": "wargame", "players": ["random", "random"]})[0] == 503
        page.table(players=["human", "random"])
        assert page.refusal("/tables", {"game": "wargame", "players": ["human", "random"]})[0] == 503
        page.table()


def test_a_game_that_nobody_watches_makes_room_for_another() -> None:
    with running(players=1, spared_seconds=0.0) as page:
        left = page.table(players=["human", "random"])
        watched = page.table(players=["human", "random"])
        assert not page.get(f"/tables/{left['id']}")["live"]
        with page.socket(f"/tables/{watched['id']}/live") as live:
            live.until("snapshot")
            assert page.refusal("/tables", {"game": "wargame", "players": ["human", "random"]})[0] == 503
        assert page.get(f"/tables/{watched['id']}")["live"]


def test_a_demonstration_ends_nobody_s_game() -> None:
    with running(tables=1, spared_seconds=0.0) as page:
        left = page.table()
        assert page.client.get("/tables/demo").status_code == 503
        assert page.get(f"/tables/{left['id']}")["live"]
        page.table()  # a person may have its place
        assert not page.get(f"/tables/{left['id']}")["live"]


def test_too_many_tables_are_refused_and_old_ones_make_room() -> None:
    with running(tables=2, finished=1) as page:
        made = [page.table() for _ in range(2)]
        assert page.refusal("/tables", {"game": "wargame", "players": ["human", "human"]})[0] == 503
        for table in made:
            page.client.delete(f"/tables/{table['id']}", params={"key": table["key"]})
        page.table()
        assert len(page.get("/tables")) == 2
        assert page.client.get(f"/tables/{made[0]['id']}").status_code == 404


def test_a_finished_game_goes_into_the_store(tmp_path: Path) -> None:
    where = tmp_path / "games.db"
    with running(Settings(store=str(where))) as page:
        table = page.table(players=["random", "random"], plies=4)
        with page.socket(f"/tables/{table['id']}/live") as live:
            live.until("end")
        record = page.client.get(f"/tables/{table['id']}/record").content
    with Store.open(where, create=False) as store:
        (kept,) = store.records()
    assert kept.game.record == record
    assert kept.game.slot == "page"
    assert find_game(kept.game.game).name == "wargame"
