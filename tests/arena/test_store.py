"""The store, the same for an SQLite file and for a PostgreSQL server: nothing is lost, nothing is there twice."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from zlib import crc32

import msgspec
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noctagon.arena.bout import Finished
from noctagon.arena.store.claim import CLASS
from noctagon.arena.store.rows import LAST, PAIRS, PLAIN
from noctagon.arena.store.schema import metadata
from noctagon.arena.store.store import RECORDS_PAGE, Store
from noctagon.core.game import NoctagonError
from noctagon.core.record import Conduct, decode
from tests.arena.games import a_game, a_record
from tests.arena.writers import GAMES

ROOT = Path(__file__).parent.parent.parent
BACKENDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))]


@pytest.fixture(params=BACKENDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new store may be made."""
    if request.param == "sqlite":
        return str(tmp_path / "games.db")
    url: str = request.getfixturevalue("postgres").new_database()
    return url


def bare(game: Finished) -> Finished:
    return msgspec.structs.replace(game, record=b"")


def test_a_game_comes_back_as_it_was(place: str) -> None:
    game = a_game(
        players=("ada", "böb"),
        specs=("ada.py:Ada", "cmd:./bob --fast"),
        versions=("1a2b", ""),
        setup="tiny",
        winner=None,
        round=7,
        seed=2**80,
        detail="both gone",
        turns=(6, 4),
        seconds=(0.1 + 0.2, 1e-9),
        longest=(0.25, 1e-9),
        late=(1, 0),
        illegal=(0, 2),
        lead_changes=5,
        swing=1.2345,
        logs=("", "Traceback …\nValueError"),
    )
    with Store.open(place) as store:
        store.save_plan("spring", "vampires", b"")
        assert store.add(game, "spring")
        assert store.finished("spring") == [bare(game)]
    with Store.open(place, create=False) as store:
        assert store.finished("spring") == [bare(game)]
        assert store.record("spring", game.slot, game.key) == game.record
        assert [stored.game for stored in store.records()] == [game]


def test_nothing_that_is_known_of_a_game_is_left_out() -> None:
    kept = {*PLAIN, *PAIRS, *LAST, "players", "specs", "versions", "logs", "record"} - {"log"}
    assert kept == set(Finished.__struct_fields__)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(min_size=1, max_size=300))
def test_the_bytes_of_a_record_are_kept_whatever_they_are(place: str, content: bytes) -> None:
    game = a_game(record=content)
    with Store.open(place) as store:
        store.save_plan("bytes", "vampires", b"")
        store.add(game, "bytes")
        assert store.record("bytes", game.slot, game.key) == content


def test_a_game_of_a_tournament_is_known_by_slot_and_key(place: str) -> None:
    game = a_game(slot="1/ada/bob/duel/0", key="k1")
    with Store.open(place) as store:
        for name in ("spring", "autumn"):
            store.save_plan(name, "vampires", b"")
        assert store.add(game, "spring")
        assert not store.add(game, "spring")
        assert not store.add(a_game(slot=game.slot, key="k1", winner=1), "spring"), "the first one counts"
        assert store.add(a_game(slot=game.slot, key="k2"), "spring"), "other conditions: another game"
        assert store.add(game, "autumn"), "another tournament"
        assert [(known.key, known.winner) for known in store.finished("spring")] == [("k1", 0), ("k2", 0)]
        with pytest.raises(NoctagonError, match="no tournament 'winter'"):
            store.add(a_game(), "winter")
        assert store.finished("winter") == []
        with pytest.raises(NoctagonError, match="no game 1/ada/bob/duel/0"):
            store.record("winter", game.slot, game.key)


def test_a_game_without_a_tournament_is_known_by_its_record(place: str) -> None:
    game = a_game()
    with Store.open(place) as store:
        assert store.add(game)
        assert not store.add(a_game(record=game.record))
        assert store.add(a_game())
        store.save_plan("spring", "vampires", b"")
        played = a_game()
        assert store.add(played, "spring")
        assert not store.add(played), "it is there, in a tournament"
        assert store.add(game, "spring"), "and what is there without one may still belong to one"
        with pytest.raises(NoctagonError, match="known by its record"):
            store.add(a_game(record=b""))
        assert len(store.finished("")) == 2


def test_games_set_aside_stay_as_games_of_no_tournament(place: str) -> None:
    old, same, good = a_game(), a_game(), a_game()
    with Store.open(place) as store:
        for name in ("spring", "autumn"):
            store.save_plan(name, "vampires", b"")
        store.add(same)
        for game in (old, same, good):
            assert store.add(game, "spring")
        store.add(old, "autumn")
        gone = [(game.slot, game.key) for game in (old, same)]
        store.set_aside("spring", [*gone, ("no such", "game")])
        assert store.finished("spring") == [bare(good)]
        assert store.finished("autumn") == [bare(old)]
        assert {stored.game.record for stored in store.records(tournament="")} == {old.record, same.record}
        assert len(store.finished("")) == 2
        assert store.add(old, "spring"), "it may be played again"
        store.set_aside("spring", gone)
        assert len(store.finished("")) == 2


def test_players_are_kept_once_for_each_version(place: str) -> None:
    with Store.open(place) as store:
        store.add(a_game(players=("ada", "bob")))
        store.add(a_game(players=("bob", "ada")))
        store.add(a_game(players=("ada", "bob"), versions=("2", "1")))
        assert store.player_names() == ["ada", "bob"]
        assert [stored.game.versions for stored in store.records(player="ada")] == [
            ("1", "1"),
            ("1", "1"),
            ("2", "1"),
        ]
        with store._database.reading() as connection:
            told = connection.exec_driver_sql("SELECT name, version FROM players ORDER BY 1, 2").all()
        assert told == [("ada", "1"), ("ada", "2"), ("bob", "1")]


def test_a_plan_is_kept_and_replaced(place: str) -> None:
    with Store.open(place) as store:
        assert store.plan("spring") is None
        store.save_plan("spring", "vampires", b"\x00 rounds = 1")
        first = store.plan("spring")
        assert first is not None
        assert (first.name, first.game, first.plan) == ("spring", "vampires", b"\x00 rounds = 1")
        store.add(a_game(), "spring")
        store.save_plan("autumn", "wargame", b"")
        store.save_plan("spring", "vampires", b"rounds = 2")
        assert [plan.name for plan in store.plans()] == ["spring", "autumn"]
        assert store.plan("spring") == first._replace(plan=b"rounds = 2")
        assert len(store.finished("spring")) == 1, "its games stay"


def test_games_are_found_by_what_they_are(place: str) -> None:
    with Store.open(place) as store:
        store.save_plan("spring", "vampires", b"")
        store.add(a_game(players=("ada", "bob")), "spring")
        store.add(a_game(players=("cleo", "ada")), "spring")
        store.add(a_game(players=("cleo", "bob"), game="wargame"))

        def found(**filters: object) -> list[int]:
            return [stored.id for stored in store.records(**filters)]  # type: ignore[arg-type] # the test's own

        one, two, three = found()
        assert found(tournament="spring") == [one, two]
        assert found(tournament="") == [three]
        assert found(player="ada") == [one, two]
        assert found(player="cleo.py:Bot") == [two, three]
        assert found(player="cleo", tournament="spring") == [two]
        assert found(game="wargame") == [three]
        assert found(number=two) == [two]
        assert found(newest_first=True, limit=2) == [three, two]
        assert found(limit=0) == []
        assert found(player="nobody") == []


def test_a_part_of_a_players_name_finds_it(place: str) -> None:
    with Store.open(place) as store:
        for name in ("merge", "merge:depth=1,seed=2", "Student 100%_off"):
            store.add(a_game(players=(name, "bob")))

        def found(player: str) -> list[str]:
            return [stored.game.players[0] for stored in store.records(player=player)]

        assert found("mer") == found("Merge") == ["merge", "merge:depth=1,seed=2"]
        for shown in ("merge:depth=1", "merge seed=2", "merge (depth=1, seed=2)"):
            assert found(shown) == ["merge:depth=1,seed=2"]
        assert found("0%_o") == ["Student 100%_off"]
        assert found("m%e") == []


def test_many_games_come_page_by_page_and_one_may_write_meanwhile(place: str) -> None:
    total = 2 * RECORDS_PAGE + 1
    with Store.open(place) as store:
        with store._database.writing() as connection:
            for _ in range(total):
                store._add(connection, a_game(), None)
        seen = []
        for stored in store.records(limit=total):
            seen.append(stored.id)
            if len(seen) == RECORDS_PAGE:
                store.add(a_game())
        assert len(seen) == len(set(seen)) == total
        assert len(list(store.records(newest_first=True))) == total + 1
        assert len(list(store.records(limit=RECORDS_PAGE))) == RECORDS_PAGE


def test_what_a_program_in_agony_prints_can_be_kept(place: str) -> None:
    with Store.open(place) as store:
        store.add(a_game(logs=("core\0dumped", "half a pair: \ud83d")))
        assert store.finished("")[0].logs == ("core␀dumped", "half a pair: ?")


def test_a_damaged_record_is_not_passed_off_as_whole(place: str) -> None:
    game = a_game()
    with Store.open(place) as store:
        store.add(game)
        for damage in ("x'00'", "x'789c030000000001'"):  # no zlib at all; zlib of nothing
            value = damage if not place.startswith("postgresql") else f"'\\x{damage[2:-1]}'::bytea"
            with store._database.writing() as connection:
                connection.exec_driver_sql(f"UPDATE records SET content = {value}")
            with pytest.raises(NoctagonError, match="the record of game 1 is damaged"):
                list(store.records())
        assert len(store.finished("")) == 1


def test_an_interrupted_write_leaves_nothing(place: str) -> None:
    with Store.open(place) as store:
        with suppress(KeyboardInterrupt), store._database.writing() as connection:
            assert store._add(connection, a_game(), None)
            raise KeyboardInterrupt
        assert store.finished("") == []
        assert store.player_names() == []


@contextmanager
def writer(place: str, number: int) -> Iterator[subprocess.Popen[str]]:
    """A program that is about to write, once it is told a line."""
    command = [sys.executable, "-m", "tests.arena.writers", place, str(number)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT) as process:
        yield process


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    print("go", file=process.stdin, flush=True)


def test_many_writers_at_once_lose_and_double_nothing(place: str) -> None:
    with ExitStack() as running:
        writers = [running.enter_context(writer(place, number)) for number in range(4)]
        for process in writers:
            assert line(process) == "ready\n"
        for process in writers:  # the store is not there yet: all four make it
            go(process)
        for process in writers:
            _, errors = process.communicate(timeout=120)
            assert process.returncode == 0, errors
    with Store.open(place, create=False) as store:
        slots = [game.slot for game in store.finished("spring")]
        assert sorted(slots) == sorted(
            [f"{writer}/{number}" for writer in (*range(4), "all") for number in range(GAMES)]
        )
        assert len(store.finished("")) == GAMES
        assert store.player_names() == ["ada", "bob"]
        assert all(stored.game.record for stored in store.records())


def test_what_a_killed_writer_wrote_is_there(place: str) -> None:
    with writer(place, 0) as process:
        assert line(process) == "ready\n"
        go(process)
        told = [line(process).strip() for _ in range(5)]
        process.kill()
    with Store.open(place, create=False) as store:
        slots = [game.slot for game in store.finished("spring") if game.key == "own"]
        assert slots[:5] == told == [f"0/{number}" for number in range(5)]
        assert len(slots) == len(set(slots))


def test_of_two_who_played_the_same_game_the_first_counts_for_both(place: str) -> None:
    with Store.open(place) as one, Store.open(place) as other:
        one.save_plan("spring", "vampires", b"")
        first = a_game(slot="1/ada/bob/duel", key="k", winner=0)
        second = a_game(slot="1/ada/bob/duel", key="k", winner=1)
        assert one.keep(first, "spring") == bare(first)
        assert other.keep(second, "spring") == bare(first)
        assert other.finished("spring") == [bare(first)]


HOLD = """
import sys
from noctagon.arena.store.store import Store
with Store.open(sys.argv[1]) as store, store.playing("spring"):
    print("playing", flush=True)
    sys.stdin.readline()
"""


def test_a_tournament_is_played_by_one_program_at_a_time_and_by_nobody_who_is_gone(place: str) -> None:
    with Store.open(place) as store:
        with subprocess.Popen(
            [sys.executable, "-c", HOLD, place], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert line(process) == "playing\n"
            told = rf"^spring is being played already, by process {process.pid}.* since 20..-..-.. ..:..; it goes on"
            with pytest.raises(NoctagonError, match=told), store.playing("spring"):
                pass
            with store.playing("autumn"):
                pass
            process.kill()
        if "://" in place:  # the server notices when it notices: it lets us wait for that
            with psycopg.connect(place, autocommit=True) as connection:
                connection.execute(
                    f"SELECT pg_advisory_lock({CLASS}, {crc32(b'spring') & 0x7FFFFFFF})".encode()
                )
        with store.playing("spring"):
            pass
        with store.playing("spring"):
            pass
    if "://" not in place:
        assert not list(Path(place).parent.glob("*.playing"))


@pytest.mark.skipif(os.name == "nt", reason="not everybody may make links there")
def test_a_store_that_is_found_by_a_link_is_the_same_store(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "games.db")
    with (
        Store.open(tmp_path / "games.db") as store,
        store.playing("spring"),
        Store.open(tmp_path / "link.db") as other,
        pytest.raises(NoctagonError, match="is being played already"),
        other.playing("spring"),
    ):
        pass


def test_import_keeps_the_very_bytes(place: str, tmp_path: Path) -> None:
    strange = b'{"noctagon":1, "later field": [1, 2],' + a_game().record[len(b'{"noctagon":1,') :]
    lines = [a_game().record, strange, a_game(game="wargame", winner=None).record]
    file = tmp_path / "games.jsonl"
    file.write_bytes(b"\n".join(lines))
    with Store.open(place) as store:
        assert store.import_records(file) == (3, 0, [])
        assert store.import_records(file) == (0, 3, [])
        assert [stored.game.record for stored in store.records()] == lines
        game = store.finished("")[2]
        assert (game.game, game.setup, game.plies, game.winner) == ("wargame", "duel", 10, None)
        assert (game.turns, game.seconds, game.longest) == ((5, 5), (1.25, 1.25), (0.25, 0.25))
        assert game.players == decode(lines[2]).players
        assert game.swing > 0


def test_import_tells_what_is_wrong_and_keeps_it(place: str, tmp_path: Path) -> None:
    whole, cut, odd = (a_game().record for _ in range(3))
    record = a_record()
    wrong = msgspec.structs.replace(record, turns=record.turns[1:]).to_json()
    foreign = msgspec.structs.replace(record, game="chess").to_json()
    conduct = (Conduct(late=10**30), Conduct(illegal=-(10**30)))
    huge = msgspec.structs.replace(record, seed=10**30, conduct=conduct).to_json()
    file = tmp_path / "games.jsonl"
    file.write_bytes(b"\n".join([whole, b"nonsense", cut[:-200], wrong, foreign, huge, odd + b"\r"]))
    with Store.open(place) as store:
        new, known, troubles = store.import_records(file)
        assert (new, known) == (6, 0)
        assert "line 2: not a record" in troubles[0]
        assert "line 3: cut off after" in troubles[0]
        assert "record 3: the record does not hold at turn 1" in troubles[1]
        assert len(troubles) == 2
        kept = [whole, cut[:-200], wrong, foreign, huge, odd]
        assert [stored.game.record for stored in store.records()] == kept
        assert [game.reason for game in store.finished("")][1:5] == ["unfinished"] * 4
        empty = tmp_path / "empty.jsonl"
        empty.write_bytes(b"")
        with pytest.raises(NoctagonError, match="the file is empty"):
            store.import_records(empty)


def test_sha256_is_of_the_original(place: str) -> None:
    game = a_game()
    with Store.open(place) as store:
        store.add(game)
        with store._database.reading() as connection:
            told = connection.exec_driver_sql("SELECT sha256 FROM games").scalar()
    assert told == sha256(game.record).hexdigest()


def test_the_page_about_it_tells_all_columns_and_its_query_runs(place: str) -> None:
    page = (ROOT / "docs" / "records.md").read_text("utf-8")
    query = page.partition("```sql\n")[2].partition("```")[0]
    told = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    with Store.open(place) as store:
        store.add(a_game(players=("ada", "bob"), winner=None))
        store.add(a_game(players=("bob", "ada")))
        with store._database.reading() as connection:
            rows = connection.exec_driver_sql(query).all()
    assert rows == [("bob", 1, 1), ("ada", 1, 0.5)]
    for table in metadata.sorted_tables:
        columns = {column.name.removeprefix("second_").removeprefix("first_") for column in table.columns}
        assert columns - {"id"} == set(re.findall(r"`(\w+)`", told[table.name])[1:]) - {
            "id",
            "first_id",
            "second_id",
        }
