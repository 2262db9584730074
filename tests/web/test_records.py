"""Records: uploaded or from the store, told like a live game, judged turn by turn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from noctagon.arena.store.store import Store
from noctagon.core.clock import Clock
from noctagon.core.game import NoctagonError
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec, Thought
from noctagon.core.record import decode
from noctagon.core.registry import find_game
from noctagon.players import make_player
from noctagon.web.api.records import MOST_EVALUATIONS
from noctagon.web.records import replaying
from noctagon.web.records.evaluating import chance_to_win, course, evaluate, mark_of
from noctagon.web.records.uploads import Uploads
from noctagon.web.settings import Settings
from tests.web.page import Page, running
from tests.web.recorded import blundered, patient_game, random_game

HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes]]:
    """A store with a game of each kind, and their records."""
    folder = tmp_path_factory.mktemp("store")
    records = [
        random_game("vampires", "duel", plies=12).record().to_json(),
        random_game("wargame", plies=10, players=("turtle", "random")).record().to_json(),
    ]
    (folder / "games.jsonl").write_bytes(b"\n".join(records) + b"\n")
    with Store.open(folder / "games.db") as store:
        assert store.import_records(folder / "games.jsonl").new == 2
    return folder / "games.db", records


@pytest.fixture(scope="module")
def page(kept: tuple[Path, list[bytes]]) -> Iterator[Page]:
    with running(Settings(store=str(kept[0]))) as found:
        yield found


def upload(page: Page, content: bytes) -> dict[str, Any]:
    response = page.client.post("/records", content=content)
    assert response.status_code == 201, response.text
    return response.json()  # type: ignore[no-any-return]


def test_players_have_the_names_of_their_tournament(page: Page) -> None:
    record = random_game("wargame", plies=4, players=("mine.py:New", "mine.py:Old")).record()
    named = msgspec.structs.replace(record, names=("mine:New", "mine:Old"))
    (line,) = upload(page, named.to_json())["replays"]
    assert line["players"] == ["mine:New", "mine:Old"]
    assert page.client.get(f"/records/{line['id']}").json()["players"] == ["mine:New", "mine:Old"]


def refused(page: Page, content: bytes) -> tuple[int, str]:
    response = page.client.post("/records", content=content)
    return response.status_code, response.json()["error"]


def pieces(view: dict[str, Any], frames: list[dict[str, Any]]) -> set[tuple[int, int, str, int]]:
    """What stands on the board after some frames, as a browser finds it out."""
    board = {(piece["x"], piece["y"]): (piece["kind"], piece["count"]) for piece in view["pieces"]}
    for frame in frames:
        for x, y, kind, _, count, _ in frame["changes"]:
            board.pop((x, y), None)
            if kind is not None:
                board[x, y] = (kind, count)
    return {(x, y, kind, count) for (x, y), (kind, count) in board.items()}


@pytest.mark.parametrize("game", ["vampires", "wargame"])
def test_an_uploaded_record_is_told_like_a_table(page: Page, game: str) -> None:
    match = random_game(game)
    (line,) = upload(page, match.record().to_json())["replays"]
    assert (line["game"], line["players"], line["ply"]) == (
        game,
        ["random", "greedy:depth=1"],
        len(match.turns),
    )
    told = page.get(f"/records/{line['id']}")
    assert (told["live"], told["origin"], told["trouble"]) == (False, "record", "")
    assert [frame["n"] for frame in told["frames"]] == list(range(1, len(match.turns) + 1))
    for turn in (0, len(match.turns) // 2, len(match.turns)):
        seen = pieces(told["view"], told["frames"][:turn])
        assert seen == {(p.x, p.y, p.kind, p.count) for p in match.states[turn].view().pieces}
    assert match.result is not None
    assert told["result"]["text"] == match.result.describe(match.initial.sides)


def test_a_snapshot_of_a_record_has_all_that_one_of_a_table_has(page: Page) -> None:
    table = page.table()
    whole = page.get(f"/tables/{table['id']}")
    (line,) = upload(page, blundered().to_json())["replays"]
    assert set(page.get(f"/records/{line['id']}")) == {*whole, "trouble"}


def test_any_position_of_a_record_can_be_asked_for(page: Page) -> None:
    match = random_game("wargame", plies=6)
    (line,) = upload(page, match.record().to_json())["replays"]
    for n in (0, 3, len(match.turns)):
        told = page.get(f"/records/{line['id']}/positions/{n}")
        assert told == {"position": match.game.format_position(match.states[n])}
    assert page.client.get(f"/records/{line['id']}/positions/99").status_code == 400


def test_several_records_are_told_apart(page: Page) -> None:
    records = [random_game(seed=seed, plies=4).record().to_json() for seed in range(3)]
    told = upload(page, b"\r\n".join([*records, b"not a record", b""]))
    assert "line 4: not a record of a game" in told["trouble"]
    for line, record in zip(told["replays"], records, strict=True):
        raw = page.client.get(f"/records/{line['id']}/raw")
        assert raw.content.strip() == record
        assert raw.headers["content-disposition"].startswith("attachment")
    assert len({line["id"] for line in told["replays"]}) == 3


def test_what_is_whole_of_a_record_that_is_cut_off(page: Page) -> None:
    match = random_game(plies=20)
    whole = match.record().to_json()
    told = upload(page, whole[: whole.index(b'"turns"') + 900])
    assert "cut off" in told["trouble"]
    replay = page.get(f"/records/{told['replays'][0]['id']}")
    assert 0 < len(replay["frames"]) < len(match.turns)
    assert replay["trouble"] == "the record ends before the game does"
    assert replay["result"] is None


def test_a_record_that_does_not_hold_is_shown_as_far_as_it_does(page: Page) -> None:
    record = json.loads(random_game(plies=9).record().to_json())
    record["turns"][4]["action"] = "9,9>0,0:1"
    (line,) = upload(page, json.dumps(record).encode())["replays"]
    told = page.get(f"/records/{line['id']}")
    assert len(told["frames"]) == 4
    assert told["trouble"].startswith("the record does not hold at turn 5")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "the file is empty"),
        (b"hello", "line 1: not a record of a game"),
        (b"{}", "line 1: not a record of a game"),
        (b"[" * 100_000, "line 1: not a record of a game"),
        (b"\xff\xfe\x00", "line 1: not a record of a game"),
    ],
)
def test_bad_uploads_are_refused_in_words(page: Page, content: bytes, sentence: str) -> None:
    status, error = refused(page, content)
    assert status == 400
    assert sentence in error


def test_a_file_that_is_too_large(page: Page) -> None:
    status, error = refused(page, b" " * (5 * 2**20 + 1))
    assert status == 413
    assert "too large" in error


def test_a_game_that_is_not_installed(page: Page) -> None:
    record = msgspec.structs.replace(blundered(), game="chess")
    (line,) = upload(page, record.to_json())["replays"]
    assert line["game"] == "chess"
    response = page.client.get(f"/records/{line['id']}")
    assert response.status_code == 400
    assert "chess" in response.json()["error"]


def test_hostile_names_come_as_text(page: Page) -> None:
    record = msgspec.structs.replace(blundered(), players=(HOSTILE, "x" * 10_000), setup=HOSTILE)
    (line,) = upload(page, record.to_json())["replays"]
    told = page.get(f"/records/{line['id']}")
    assert told["players"][0] == HOSTILE
    assert len(told["players"][1]) == replaying.LONGEST_NAME
    response = page.client.get(f"/records/{line['id']}/page.html")
    assert response.headers["content-disposition"].startswith("attachment")
    assert "<img src=x" not in response.text


def test_records_of_the_store(page: Page, kept: tuple[Path, list[bytes]]) -> None:
    found = page.get("/records")
    assert [line["game"] for line in found["records"]] == ["wargame", "vampires"]
    assert found["players"] == ["greedy:depth=1", "random", "turtle"]
    newest = found["records"][0]
    assert page.client.get(f"/records/{newest['id']}/raw").content == kept[1][1]
    assert len(page.get(f"/records/{newest['id']}")["frames"]) == len(decode(kept[1][1]).turns)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("game=vampires", 1),
        ("player=random", 2),
        ("player=turtle", 1),
        ("player=greedy", 1),
        ("player=dep", 1),
        ("tournament=cup", 0),
        ("limit=1", 1),
    ],
)
def test_the_store_is_searched(page: Page, query: str, count: int) -> None:
    assert len(page.get(f"/records?{query}")["records"]) == count


@pytest.mark.parametrize("number", ["999", "0", "u-nobody", "9" * 40, "abc"])
def test_there_is_no_such_record(page: Page, number: str) -> None:
    for path in (f"/records/{number}", f"/records/{number}/raw", f"/records/{number}/page.html"):
        assert page.client.get(path).status_code == 404
    assert page.client.post(f"/records/{number}/evaluation", json={}).status_code == 404


def test_without_a_store_there_are_no_records() -> None:
    with running() as page:
        assert page.get("/records") == {"store": False, "records": [], "players": [], "tournaments": []}
        assert page.client.get("/records/1").status_code == 404


def test_uploads_make_room_for_others() -> None:
    uploads = Uploads(records=3, size=100)
    first = uploads.put([b"x" * 40])[0]
    second, third = uploads.put([b"y" * 40, b"z" * 40])
    with pytest.raises(NoctagonError, match="open the file again"):
        uploads.get(first)
    assert uploads.get(second) == b"y" * 40
    uploads.put([b"w" * 40])
    assert len(uploads) == 2
    with pytest.raises(NoctagonError):
        uploads.get(third)  # the other one was looked at more recently


# The evaluation.


def lines_of(response: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in response.iter_lines():
        yield json.loads(line)


def test_a_whole_game_is_evaluated(page: Page) -> None:
    (line,) = upload(page, blundered().to_json())["replays"]
    with page.client.stream("POST", f"/records/{line['id']}/evaluation", json={"time": 0.05}) as response:
        head, *points, last = lines_of(response)
    assert (head["turns"], head["player"]) == (2, "champion:heuristic=onslaught")
    assert last == {"done": True}
    assert [point["n"] for point in points] == [0, 1, 2]
    assert [point["chance"] for point in points] == [1.0, 0.0, 0.0]
    assert (points[0]["mark"], points[0]["best"], points[0]["loss"]) == ("blunder", "A1 A0", 1.0)
    assert points[0]["arrows"][0] == [[1, 0, 0, 0, "−1"]]
    assert (points[1]["mark"], points[1]["expected"]) == ("", 0.0)


def test_who_stops_listening_frees_what_it_used(page: Page) -> None:
    record = random_game("vampires", "duel", plies=100).record()
    (line,) = upload(page, record.to_json())["replays"]
    address = f"/records/{line['id']}/evaluation"
    for _ in range(MOST_EVALUATIONS + 1):
        with page.client.stream("POST", address, json={"time": 0.2}) as response:
            assert response.status_code == 200
            assert next(lines_of(response))["turns"] == len(record.turns)
        while page.context.uploads.evaluating:
            page.get("/games")
    with page.client.stream("POST", address, json={"time": 0.05}) as response:
        told = lines_of(response)
        assert [next(told).get("n") for _ in range(3)] == [None, 0, 1]


def test_only_some_are_evaluated_at_once(page: Page) -> None:
    record = random_game("vampires", "duel", plies=100).record()
    (line,) = upload(page, record.to_json())["replays"]
    address = f"/records/{line['id']}/evaluation"
    page.context.uploads.evaluating += MOST_EVALUATIONS
    try:
        assert page.refusal(address, {})[0] == 503
    finally:
        page.context.uploads.evaluating -= MOST_EVALUATIONS


def test_an_evaluation_has_an_end(page: Page) -> None:
    (line,) = upload(page, patient_game(260).to_json())["replays"]
    status, error = page.refusal(f"/records/{line['id']}/evaluation", {"time": 5})
    assert (status, "too long" in error) == (400, True)
    assert page.refusal(f"/records/{line['id']}/evaluation", {"time": 100})[0] == 422


def test_bad_dice_are_no_mistake() -> None:
    game = find_game("vampires")
    game.load()
    state = game.parse_position("3x3 V0,0:10 W1,1:10 V 0")
    for seed in range(100):
        match = Match(game, state, seed=seed)
        match.answer("0,0>1,1:10", 0.1)
        if match.result is not None and match.result.winner == 1:
            break
    first, last = evaluate(match.record(), 0.05)
    assert first.expected == pytest.approx(0.5, abs=0.05)
    assert (first.mark, last.chance) == ("", 0.0)


def test_whose_turn_it_is_does_not_change_who_is_ahead() -> None:
    game = find_game("wargame")
    player = make_player(PlayerSpec.parse("champion:nodes=1000"), game)
    match = Match(game)
    for _ in range(16):
        match.answer(player.choose(match.state, Clock()).action, 0.1)
    chances = [point.chance for point in evaluate(match.record(), 0.03)]
    changes = [abs(after - before) for before, after in pairwise(chances)]
    assert sum(changes) / len(changes) < 0.06


def test_a_lost_turn_is_no_blunder() -> None:
    match = Match(find_game("vampires"), setup="tiny")
    match.miss(5.0)
    points = list(evaluate(match.record(), 0.05))
    assert [point.mark for point in points] == ["", ""]
    assert course(match.record()).steps[0].action is None


def test_scores_become_chances() -> None:
    vampires, wargame = find_game("vampires"), find_game("wargame")
    assert chance_to_win(Thought(), vampires, 0) == 0.5
    assert chance_to_win(Thought(score=999_990.0), wargame, 0) == 1.0
    assert chance_to_win(Thought(score=-999_990.0), vampires, 1) == 0.0
    assert chance_to_win(Thought(score=500_000.0, chance=True), vampires, 1) == 0.75
    assert chance_to_win(Thought(score=900.0, chance=True), vampires, 0) == pytest.approx(0.5, abs=0.01)
    both = [
        chance_to_win(Thought(score=115.0), wargame, 0),
        chance_to_win(Thought(score=-115.0), wargame, 1),
    ]
    assert both == pytest.approx([0.5, 0.5], abs=0.01)  # what one side gains the other loses
    assert chance_to_win(Thought(score=-4000.0), wargame, 1) < 0.01
    assert chance_to_win(Thought(score=3.0), vampires, 0) > 0.5
    assert [mark_of(loss) for loss in (0.05, 0.1, 0.25, 0.9)] == ["", "inaccuracy", "mistake", "blunder"]
