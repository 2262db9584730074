"""Records: read back what was written, by later versions too, and what is whole of a broken one."""

import json
from codecs import BOM_UTF8
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noctagon.core.clock import TimeControl
from noctagon.core.game import NoctagonError, Result
from noctagon.core.match import Match
from noctagon.core.player import Thought
from noctagon.core.record import Record, TurnRecord, decode, find_records, read_records
from noctagon.core.registry import find_game


def played(game: str = "vampires", seed: int = 0) -> Record:
    match = Match(find_game(game), seed=seed, players=("random", "random"))
    rng = Random(seed)
    while match.result is None:
        match.answer(match.state.actions().sample(rng), 0.25, Thought(depth=1, nodes=7, evaluations={1: 7}))
    return match.record()


@pytest.mark.parametrize("game", ["vampires", "wargame"])
def test_a_record_replays_to_the_identical_end(game: str) -> None:
    for seed in range(5):
        record = played(game, seed)
        again = decode(record.to_json())
        assert again == record
        assert again.final().key == record.final().key
        assert again.final().result == record.result


texts = st.text(max_size=20)
thoughts = st.builds(
    Thought,
    depth=st.integers(0, 50),
    nodes=st.integers(0, 10**12),
    evaluations=st.dictionaries(st.integers(0, 20), st.integers(0, 10**9), max_size=3),
    score=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    line=st.lists(texts, max_size=3).map(tuple),
    note=texts,
)
turns = st.builds(
    TurnRecord,
    side=st.sampled_from([0, 1]),
    action=texts,
    dice=st.lists(st.integers(-(10**6), 10**6), max_size=4).map(tuple),
    seconds=st.floats(0, 1e6),
    skipped=texts,
    thought=st.none() | thoughts,
)
records = st.builds(
    Record,
    game=texts,
    rules=st.dictionaries(texts, st.integers() | texts, max_size=3),
    setup=texts,
    position=texts,
    players=st.tuples(texts, texts),
    names=st.just(msgspec.UNSET) | st.tuples(texts, texts),
    time=st.builds(TimeControl, turn=st.none() | st.floats(0.01, 100), total=st.none() | st.floats(1, 1000)),
    seed=st.integers(0, 2**32),
    turns=st.lists(turns, max_size=5).map(tuple),
    result=st.none() | st.builds(Result, winner=st.sampled_from([0, 1, None]), reason=texts, detail=texts),
)


@given(records)
def test_json_round_trip(record: Record) -> None:
    line = record.to_json()
    assert b"\n" not in line
    assert decode(line) == record


def test_players_are_called_by_name_where_they_have_one() -> None:
    record = played("wargame")
    assert b'"names"' not in record.to_json()
    assert record.called == record.introduced == ("random", "random")
    named = decode(msgspec.structs.replace(record, names=("Ada", "random")).to_json())
    assert named.called == ("Ada", "random")
    assert named.introduced == ("Ada (random)", "random")
    assert named.players == record.players


def test_fields_of_a_later_version_are_passed_over_and_the_bytes_kept(tmp_path: Path) -> None:
    content = json.loads(played("wargame").to_json())
    content["mood"] = "cheerful"
    content["turns"][0]["weather"] = {"rain": True}
    path = tmp_path / "game.json"
    path.write_text(json.dumps(content, indent=2))
    reading = read_records(path)
    assert reading.records[0] == played("wargame")
    assert json.loads(reading.raw[0])["mood"] == "cheerful"


def test_a_record_of_a_version_to_come_is_refused() -> None:
    content = json.loads(played("wargame").to_json())
    content["noctagon"] = 2
    with pytest.raises(NoctagonError, match="a record of version 2; this noctagon reads up to 1"):
        decode(json.dumps(content).encode())


def test_several_records_one_a_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games = [played("wargame", seed) for seed in range(3)]
    path.write_bytes(b"\n".join(game.to_json() for game in games) + b"\n\n")
    assert read_records(path).records == games
    assert read_records(path).trouble == ""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(cut=st.floats(0.0, 1.0))
def test_what_is_whole_of_a_record_cut_anywhere(tmp_path: Path, cut: float) -> None:
    whole = played("wargame", 3)
    line = whole.to_json()
    head = line.index(b'"turns":[') + 9
    at = head + int(cut * (len(line) - head - 1))
    path = tmp_path / "cut.json"
    path.write_bytes(line[:at])
    reading = read_records(path)
    (record,) = reading.records
    assert f"line 1: cut off after {at} bytes" in reading.trouble
    assert f"{len(record.turns)} turns are whole" in reading.trouble
    assert record.turns == whole.turns[: len(record.turns)]
    missing = len(whole.turns) - len(record.turns)
    assert line[:at].count(b'"side":') - len(record.turns) <= 1 or missing == 0
    list(record.states())


def test_a_byte_order_mark_is_no_part_of_a_record(tmp_path: Path) -> None:
    one, other = (played("wargame", seed).to_json() for seed in (1, 2))
    path = tmp_path / "windows.jsonl"
    for content in (one + b"\n" + other, one + b"\n" + BOM_UTF8 + other + b"\n"):
        path.write_bytes(BOM_UTF8 + content)
        assert read_records(path).trouble == ""
        assert read_records(path).raw == [one, other]
    path.write_bytes(BOM_UTF8 + one)
    assert read_records(path).raw == [one]


def test_the_last_of_several_may_be_cut(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games = [played("wargame", seed) for seed in range(2)]
    path.write_bytes(games[0].to_json() + b"\n" + games[1].to_json()[:-300])
    reading = read_records(path)
    assert reading.records[0] == games[0]
    assert reading.records[1].turns == games[1].turns[: len(reading.records[1].turns)]
    assert "line 2: cut off" in reading.trouble


def test_a_broken_record_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games = [played("wargame", seed) for seed in range(4)]
    whole = [game.to_json() for game in games]
    path.write_bytes(b"\n".join([whole[0][:60], whole[1], whole[2][:-300], whole[3]]))
    reading = read_records(path)
    assert [record.seed for record in reading.records] == [1, 2, 3]
    assert "line 1: not a record" in reading.trouble
    assert "line 3: cut off" in reading.trouble


def test_a_record_added_behind_one_that_was_cut_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games = [played("wargame", seed) for seed in range(3)]
    path.write_bytes(games[0].to_json()[:-300])
    games[1].append_to(path)
    games[2].append_to(path)
    assert path.read_bytes().count(b"\n") == 3
    path.write_bytes(path.read_bytes().replace(b"\n", b"", 1))
    reading = read_records(path)
    assert reading.records[1:] == games[1:]
    assert "line 1: cut off" in reading.trouble


def test_a_whole_record_that_is_not_ours_is_not_called_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    whole = played("wargame", 3).to_json()
    newer = whole.replace(b'{"noctagon":1', b'{"noctagon":2')
    for content, told in (
        (newer, "it is a record of version 2"),
        (newer[:-300], "not a record of a game"),
        (whole.replace(b'"reason":"', b'"reason":7,"was":"', 1), "not a record of a game: "),
    ):
        path.write_bytes(content)
        with pytest.raises(NoctagonError, match=told):
            read_records(path)


def test_where_each_record_of_a_text_is() -> None:
    games = [played("wargame", seed).to_json() for seed in range(3)]
    content = b"\n".join([games[0], b"garbage", games[1][:-300] + games[2], b""])
    found = list(find_records(content))
    assert [content[one.start : one.end] for one in found] == [
        games[0],
        b"garbage",
        games[1][:-300],
        games[2],
    ]
    assert [(one.line, one.record is None, bool(one.trouble)) for one in found] == [
        (1, False, False),
        (2, True, True),
        (3, False, True),
        (3, False, False),
    ]
    (single,) = find_records(b"\n " + games[0] + b"\n")
    assert (single.start, single.end, single.trouble) == (2, 2 + len(games[0]), "")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the file is empty"),
        (b"  \n ", "the file is empty"),
        (b"hello", "line 1: not a record of a game"),
        (b"{}", "line 1: not a record of a game: game is missing"),
        (b'{"game":1}', "not a record of a game: game should be text, not a number"),
        (b'{"noctagon":1,"game":"warg', "line 1: not a record"),
        (b"\xff\xfe\x00", "line 1: not a record"),
        (b"[1,2,3]", "not a record of a game: it should be a table of names and values, not a list"),
        (b'{"noctagon":1,"x":' + b"[" * 100_000, "line 1: not a record"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(NoctagonError, match=says) as caught:
        read_records(path)
    assert "bad.json" in str(caught.value)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(NoctagonError, match=r"none.json: No such file"):
        read_records(tmp_path / "none.json")
    with pytest.raises(NoctagonError, match="directory"):
        read_records(tmp_path)


def test_an_end_that_does_not_fit_the_turns_is_told() -> None:
    record = played("wargame")
    assert record.contradiction(record.final()) == ""
    assert record.result is not None

    def doubt(**changes: Any) -> str:
        told = json.loads(record.to_json())
        told |= changes
        changed = decode(json.dumps(told).encode())
        return changed.contradiction(changed.final())

    whole = json.loads(record.to_json())
    assert "by its 5 turns the game goes on" in doubt(turns=whole["turns"][:5])
    assert doubt(turns=whole["turns"][:5], result={"winner": 1, "reason": "resignation"}) == ""
    assert doubt(turns=whole["turns"][:5], result=None) == ""
    assert "ended otherwise" in doubt(result={**whole["result"], "reason": "boredom"})
    other = 1 if record.result.winner == 0 else 0
    assert "ended otherwise" in doubt(result={**whole["result"], "winner": other})
    swapped = [{**turn, "side": 1 - turn["side"]} for turn in whole["turns"]]
    with pytest.raises(NoctagonError, match="turn 1: it says that the Defender moved"):
        doubt(turns=swapped)


def test_a_record_that_does_not_hold_says_where() -> None:
    content = json.loads(played("wargame").to_json())
    content["turns"][2]["action"] = "A0 E4"
    with pytest.raises(NoctagonError, match="does not hold at turn 3"):
        decode(json.dumps(content).encode()).final()
    content["rules"] = {"plies": "many"}
    with pytest.raises(NoctagonError, match="not rules of wargame"):
        decode(json.dumps(content).encode()).final()
