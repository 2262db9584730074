"""Our client against servers of every kind that is known: what they do is told in *The wire*, *Real servers*."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from noctagon.core.game import NoctagonError
from noctagon.core.match import Request
from noctagon.core.player import Decision, PlayerSpec, Searcher
from noctagon.core.seat import Answer, Answered, Broke, GaveUp, Malformed, Missed, Seat
from noctagon.games.vampires import Turn, VampiresState, game
from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.games.vampires.wire.client import TcpClient
from noctagon.games.vampires.wire.gameview import Asked, GameReport, GameView, plain_turn, to_packet
from noctagon.games.vampires.wire.packets import (
    Bye,
    CellContent,
    End,
    Hme,
    Hum,
    Map,
    Nme,
    Packet,
    Set,
    Upd,
    encode,
)
from noctagon.processes.thinking import ThreadSeat, thinking_seat
from tests.command import noctagon
from tests.remote.fuzz_client import fuzz
from tests.remote.scripted import CELLS, Peer, Script, Simple, opening, serving
from tests.remote.stalls import run, stall

game.load()


class Visit:
    """What a client made of a server."""

    def __init__(self) -> None:
        self.reports: list[GameReport] = []
        self.told: list[str] = []
        self.error = ""


def visit(script: Script, seat: Seat | None = None, **options: Any) -> Visit:
    """Let a client play with a scripted server to the end."""
    seen = Visit()

    async def whole() -> None:
        client = TcpClient(seat or Simple(), report=seen.reports.append, tell=seen.told.append, **options)
        async with serving(script) as port:
            try:
                await asyncio.wait_for(client.play("127.0.0.1", port), 20)
            except NoctagonError as error:
                seen.error = str(error)

    asyncio.run(whole())
    return seen


def legal(moves: tuple[tuple[int, ...], ...], species: str = "vampires") -> bool:
    contents = {
        kind: {(c.x, c.y): c[i] for c in CELLS if c[i]}
        for i, kind in enumerate(("humans", "vampires", "werewolves"), 2)
    }
    state = VampiresState(rows=4, columns=5, to_move=species, **contents)  # type: ignore[arg-type]
    return Turn(moves) in state.actions()


# One game, in all the ways servers have.


@pytest.mark.parametrize("style", ["in three writes", "glued", "byte by byte"])
@pytest.mark.parametrize("species", ["vampires", "werewolves"])
def test_a_game_however_the_packets_come(species: str, style: str) -> None:
    async def script(peer: Peer) -> None:
        assert await peer.receive() == Nme(b"Bob")
        if style == "in three writes":
            await peer.send(*opening(species)[:3])
            await asyncio.sleep(0.01)
            await peer.send(*opening(species)[3:])
            await asyncio.sleep(0.01)
            await peer.send(Upd(()))
        else:
            await peer.send(*opening(species), Upd(()), pieces=style == "byte by byte")
        assert legal(await peer.moves(), species)
        await peer.send(End(), pieces=style == "byte by byte")
        await peer.send(Bye())
        assert await peer.receive() is None

    seen = visit(script, name="Bob")
    assert seen.reports == [GameReport(species, 1, 1, 8, 7, "ended by the server")]  # type: ignore[arg-type]
    assert (seen.told, seen.error) == ([], "")


def test_the_report_is_a_line() -> None:
    report = GameReport("werewolves", 57, 29, 12, 34, "ended by the server")
    assert str(report) == (
        "Werewolves: 57 plies, 29 turns of ours; last seen: 12 vampires, 34 werewolves; ended by the server"
    )


def test_names_are_ascii_and_short() -> None:
    async def script(peer: Peer) -> None:
        name = await peer.receive()
        assert name == Nme(b"?" + b"x" * 254)
        await peer.send(*opening(), End())

    visit(script, name="é" + "x" * 300, grace=0.01)


def test_the_players_position_is_the_servers() -> None:
    seat = Simple()

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening("werewolves"))
        await peer.send(Upd((CellContent(1, 1, 0, 8, 0), CellContent(0, 0, 0, 0, 0))))
        await peer.moves()
        await peer.send(Upd((CellContent(1, 1, 0, 0, 0), CellContent(2, 2, 0, 11, 0))))
        await peer.moves()
        await peer.send(End())

    seen = visit(script, seat)
    first, second = seat.states
    assert (first.species, first.side, first.ply) == ("werewolves", 0, 1)
    assert first.vampires == {(1, 1): 8}
    assert (second.ply, second.vampires, second.humans) == (3, {(2, 2): 11}, {})
    assert second.rules.name == "server"
    assert seat.told == ["start werewolves", "finish"]
    assert seen.reports[0][:5] == ("werewolves", 4, 2, 11, 7)


def test_the_whole_map_in_the_first_update_is_no_news() -> None:
    seat = Simple()

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening(), Upd(CELLS))
        assert legal(await peer.moves())
        await peer.send(End())

    visit(script, seat, grace=0.01)
    assert seat.states[0].ply == 0


def test_pauses_are_sat_out() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening())
        await peer.expect_silence(0.2)
        await peer.send(Upd(()))
        assert legal(await peer.moves())
        await asyncio.sleep(0.2)
        await peer.send(End())

    assert len(visit(script, grace=0.05).reports) == 1


def test_an_update_sent_to_both_is_answered_and_the_real_one_takes_its_place() -> None:
    thinking = asyncio.Event()

    async def reply(state: VampiresState) -> Answer:
        if state.vampires == {(0, 0): 8}:
            thinking.set()
            await asyncio.sleep(60)
        return Answered(plain_turn(state))

    seat = Simple(reply)

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening("werewolves"), Upd(()))
        await thinking.wait()
        await peer.send(Upd((CellContent(1, 1, 0, 8, 0), CellContent(0, 0, 0, 0, 0))))
        assert len(await peer.moves()) == 1
        await peer.expect_silence()
        await peer.send(End(), Bye())

    assert visit(script, seat).reports[0].turns == 1
    assert [state.ply for state in seat.states] == [0, 1]


def test_an_update_in_several_parts_is_answered_once() -> None:
    seat = Simple()
    houses = [CellContent(x, y, 1, 0, 0) for y in range(1, 20) for x in range(20)]

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(
            Set(20, 20), Hum(()), Hme(0, 0), Map((CellContent(0, 0, 0, 9, 0), CellContent(9, 0, 0, 0, 9)))
        )
        await peer.send(Upd(tuple(houses[:255])))
        await asyncio.sleep(0.01)
        await peer.send(Upd(tuple(houses[255:])))
        await peer.moves()
        await peer.expect_silence()
        await peer.send(End(), Bye())

    visit(script, seat)
    assert [len(state.humans) for state in seat.states] == [380]


def test_the_end_while_the_player_thinks_ends_the_thought() -> None:
    thinking = asyncio.Event()
    left = []

    async def reply(state: VampiresState) -> Answer:
        thinking.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            left.append(state)
            raise
        return Missed()

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening(), Upd(()))
        await thinking.wait()
        await peer.send(End(), Bye())
        assert await peer.receive() is None

    seen = visit(script, Simple(reply), seconds=60)
    assert len(left) == len(seen.reports) == 1
    assert seen.reports[0].turns == 1


# Where a game ends and the next begins.


def test_several_games_on_one_connection_with_the_sides_swapped() -> None:
    seat = Simple()

    async def script(peer: Peer) -> None:
        assert isinstance(await peer.receive(), Nme)
        for species in ("vampires", "werewolves", "vampires"):
            await peer.send(*opening(species))
            await peer.send(Upd(()))
            assert legal(await peer.moves(), species)
            await peer.send(End())
        await peer.send(Bye())

    seen = visit(script, seat)
    assert [report.species for report in seen.reports] == ["vampires", "werewolves", "vampires"]
    assert seat.told == ["start vampires", "finish", "start werewolves", "finish", "start vampires", "finish"]


def test_the_next_game_may_begin_without_an_end() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        for species in ("vampires", "werewolves"):
            await peer.send(*opening(species), Upd(()))
            assert legal(await peer.moves(), species)
        await peer.send(Bye())

    endings = [report.ending for report in visit(script).reports]
    assert endings == ["the next game began without END", "BYE without END"]


def test_a_server_that_never_closes_is_left_after_a_grace_period() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening(), Upd(()))
        await peer.moves()
        await peer.send(End())
        assert await peer.receive() is None  # it is the client that closes

    assert visit(script, grace=0.05).error == ""


def test_a_server_that_closes_in_mid_game() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening(), Upd(()))
        await peer.moves()
        peer.writer.write(b"UPD\x02\x00\x00")

    seen = visit(script)
    assert seen.error == ""
    assert (
        seen.reports[0].ending
        == "the server closed the connection in the middle of a packet, 55 50 44 02 00 00"
    )


# Servers that make no sense.


def test_contradictions_are_told_and_played_with() -> None:
    seat = Simple()

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening())
        await peer.send(
            Upd((CellContent(9, 9, 1, 0, 0), CellContent(2, 2, 3, 5, 0), CellContent(4, 3, 0, 0, 255)))
        )
        await peer.moves()
        await peer.send(End(), Bye())

    seen = visit(script, seat)
    assert seen.told == [
        "UPD: cell (9,9) is off the 4 × 5 grid; left out",
        "UPD: cell (2,2) holds 3 humans, 5 vampires, 0 werewolves; a cell holds one kind: taken as 5 vampires",
    ]
    assert seat.states[0].vampires == {(0, 0): 8, (2, 2): 5}
    assert seat.states[0].werewolves == {(4, 3): 255}


@pytest.mark.parametrize(
    ("packets", "says"),
    [
        ((Upd(()),), "UPD came outside of a game; expected SET"),
        ((Set(4, 5), Upd(())), "no turn can be played: our species is not known: HME names nowhere"),
        ((Set(4, 5), Hme(1, 1), Map(CELLS), Upd(())), "HME names (1,1), where neither species stands"),
        ((Set(0, 5), Hme(0, 0), Map(CELLS), Upd(())), "SET: a grid of 0 × 5 has no cells"),
    ],
)
def test_where_nothing_can_be_played_it_is_said_and_nothing_sent(
    packets: tuple[Packet, ...], says: str
) -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*packets)
        await peer.expect_silence()
        await peer.send(End(), Bye())

    assert says in "\n".join(visit(script).told)


def test_bytes_that_are_no_packet_are_an_error_after_the_packets_before_them() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening(), Upd(()))
        await peer.moves()
        peer.writer.write(encode(End()) + b"XYZ")

    seen = visit(script)
    assert seen.reports[0].ending == "ended by the server"
    assert seen.error == (
        "the server sent what is no packet: byte 42, packet 7: b'XYZ' begins no packet; "
        "expected SET or HUM or HME or MAP or UPD or END or BYE"
    )


def test_nothing_after_bye_matters() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        peer.writer.write(b"".join(map(encode, (*opening(), End(), Bye()))) + b"whatever")

    seen = visit(script)
    assert (len(seen.reports), seen.error) == (1, "")


def test_a_flood_of_questions_is_survived() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening())
        await peer.send(*[Upd(())] * 100_000)
        assert legal(await peer.moves())
        await peer.send(End(), Bye())

    assert visit(script).reports[0].turns < 1000


def test_a_server_that_does_not_read_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noctagon.games.vampires.wire.client.UNSENT", -1)

    async def script(peer: Peer) -> None:
        await peer.receive()

    assert visit(script).error.endswith("no game was played: the server does not read what is sent to it")


def test_complaints_do_not_pile_up() -> None:
    view = GameView()
    for _ in range(10_000):
        view.receive(Upd(()))
    assert len(view.complaints) == 255


# Servers with rules of their own.


def test_a_game_that_ends_by_rounds_is_told_with_the_number_of_plies() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening())
        for _ in range(20):
            await peer.send(Upd(()))
            await peer.moves()
        await peer.send(End(), Bye())

    told = visit(script, Simple(lambda state: Answered([(0, 0, 8, 1, 1)]))).told
    assert "the server ended a game with both species alive after 39 plies and" in told[-1]
    assert "--plies 40" in told[-1]


def test_a_game_that_ends_early_has_not_ended_by_rounds() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening(), Upd(()))
        await peer.moves()
        await peer.send(End(), Bye())

    assert visit(script).told == []


def test_the_end_of_a_game_is_expected_by_its_time_where_its_plies_are_not_known() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening())
        for seconds in (0, 270, 60):
            stall(seconds)
            await peer.expect_silence(0.02)
            await peer.send(Upd(()))
            await peer.moves()
        await peer.send(End(), Bye())

    seat = Simple()

    async def whole() -> None:
        client = TcpClient(seat, duration=300.0, report=lambda report: None)
        async with serving(script) as port:
            await client.play("127.0.0.1", port)

    run(whole())
    first, near, beyond = (state.rules.plies - state.ply for state in seat.states)
    assert 100 < first <= 150
    assert near <= 4
    assert beyond > 100, "the server has no such limit after all"


def test_counts_unlike_ours_are_told_and_played_with() -> None:
    seat = Simple(lambda state: Answered([(0, 0, 8, 1, 1)] if state.ply == 0 else [(1, 1, 8, 2, 2)]))

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening(), Upd(()))
        await peer.moves()
        await peer.send(Upd((CellContent(1, 1, 0, 8, 0), CellContent(0, 0, 0, 0, 0))))
        await peer.moves()  # eats the house of 3
        await peer.send(Upd((CellContent(2, 2, 0, 10, 0), CellContent(1, 1, 0, 0, 0))))
        await peer.moves()
        await peer.send(End(), Bye())

    told = visit(script, seat).told
    assert (
        told[0]
        == "the server counts otherwise: after our turn cell (2,2) holds 10 vampires, by the rules 11 vampires"
    )
    assert seat.states[2].vampires == {(2, 2): 10}


def test_what_the_other_side_may_have_changed_is_no_difference() -> None:
    seat = Simple(lambda state: Answered([(0, 0, 8, 1, 1)] if state.ply == 0 else [(1, 1, 8, 2, 2)]))

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening(), Upd(()))
        await peer.moves()
        moved = (CellContent(3, 3, 0, 0, 7), CellContent(4, 3, 0, 0, 0))
        await peer.send(Upd((CellContent(1, 1, 0, 8, 0), CellContent(0, 0, 0, 0, 0), *moved)))
        await peer.moves()  # eats the house of 3, beside the enemy, who attacks
        await peer.send(
            Upd((CellContent(2, 2, 0, 5, 0), CellContent(1, 1, 0, 0, 0), CellContent(3, 3, 0, 0, 0)))
        )
        await peer.moves()
        await peer.send(End(), Bye())

    assert not any("counts otherwise" in line for line in visit(script, seat).told)


def test_houses_that_hum_and_map_tell_differently_are_told() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(Set(4, 5), Hum(((1, 1), (2, 2))), Hme(0, 0), Map(CELLS), Upd(()))
        assert legal(await peer.moves())
        await peer.send(End(), Bye())

    assert visit(script).told == ["HUM names other houses than MAP: 2 and 1; MAP counts"]


def test_a_server_that_waits_is_waited_for_and_said_so() -> None:
    told: list[str] = []

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening())
        await peer.expect_silence(0.02)
        stall(31)
        await peer.expect_silence(0.02)
        await peer.send(Upd(()))
        assert legal(await peer.moves())
        await peer.send(End(), Bye())

    async def whole() -> None:
        client = TcpClient(Simple(), seconds=200.0, report=lambda report: None, tell=told.append)
        async with serving(script) as port:
            await client.play("127.0.0.1", port)

    run(whole())
    assert told == ["the server has said nothing for 30 s; it is waited for, at most 600 s"]


# Players that make no sense.


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Answered("0,0>4,4:8"), "the player's turn is not legal: move 1: (4,4) is off the grid: rule 4"),
        (Answered(None), "the player's turn is not legal: a turn is a list of moves"),
        (Missed(), "the player gave no answer in its time"),
        (Broke("KeyError: 'oops'", "Traceback …"), "the player crashed: KeyError: 'oops'\nTraceback …"),
        (Malformed("choose returned 3"), "the player's turn is not legal: choose returned 3"),
        (GaveUp("why not"), "the player gave up"),
    ],
)
def test_a_plain_turn_is_played_for_a_player_that_has_none(reply: Answer, says: str) -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening(), Upd(()))
        assert legal(await peer.moves())
        await peer.send(End(), Bye())

    seen = visit(script, Simple(lambda state: reply))
    assert seen.told[0].startswith(says)
    assert seen.told[0].endswith("a plain turn is played instead")


def test_a_player_that_hangs_or_raises_is_answered_for_in_time() -> None:
    async def hang(state: VampiresState) -> Answer:
        if state.ply == 0:
            await asyncio.sleep(60)
        raise ZeroDivisionError("oops")

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening())
        for _ in range(2):
            await peer.send(Upd(()))
            async with asyncio.timeout(5):
                assert legal(await peer.moves())
        await peer.send(End(), Bye())

    told = visit(script, Simple(hang), seconds=0.3).told
    assert "gave no answer" in told[0]
    assert any("the player crashed: ZeroDivisionError: oops" in line for line in told)


def test_a_file_that_crashes_is_there_again_for_the_next_turn(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import os\nclass Bot:\n    def choose(self, state, clock):\n"
        "        if state.ply == 0: os._exit(7)\n        return [(0, 0, 1, 1, 1)]\n"
    )
    seat = thinking_seat(PlayerSpec.parse(f"{bot}:Bot"), game)

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening())
        for _ in range(2):
            await peer.send(Upd(()))
            answers.append(await peer.moves())
        await seat.close()
        await peer.send(End(), Bye())

    answers: list[tuple[tuple[int, ...], ...]] = []
    told = visit(script, seat, seconds=30.0).told
    assert told[0].startswith("the player crashed: it ended with exit code 7")
    assert answers[1] == ((0, 0, 1, 1, 1),)


def test_a_player_is_not_asked_where_one_species_is_alone() -> None:
    seat = Simple()

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening(), Upd((CellContent(4, 3, 0, 0, 0),)))
        assert len(await peer.moves()) == 1
        await peer.send(Upd((CellContent(0, 0, 0, 0, 0),)))
        await peer.expect_silence()
        await peer.send(End(), Bye())

    visit(script, seat)
    assert seat.states == []


def test_play_goes_on_where_the_server_does_not_end_after_the_rules_plies() -> None:
    seat = Simple()

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening())
        for _ in range(3):
            await peer.send(Upd(()))
            assert legal(await peer.moves())
        await peer.send(End(), Bye())

    visit(script, seat, rules=VampiresRules(name="server", plies=2))
    assert [state.rules.plies > state.ply for state in seat.states] == [True] * 3


# Turns on the wire.


def test_many_creatures_go_in_several_moves() -> None:
    assert to_packet(Turn([(0, 0, 600, 1, 1)])).moves == (
        (0, 0, 255, 1, 1),
        (0, 0, 255, 1, 1),
        (0, 0, 90, 1, 1),
    )


def test_of_too_many_moves_a_legal_part_is_sent() -> None:
    groups = {(x, y): 2 for x in range(0, 60, 2) for y in range(20)}
    state = VampiresState(rows=20, columns=61, vampires=groups, werewolves={(60, 0): 1})
    whole = Turn([(x, y, 1, x + 1, y) for x, y in groups])
    state.check(whole)
    moves = to_packet(whole).moves
    assert len(moves) == 255
    state.check(moves)


def test_the_plain_turn_takes_what_it_surely_can() -> None:
    def turn(**content: Any) -> Turn | None:
        return plain_turn(VampiresState(rows=2, columns=2, vampires={(0, 0): 6}, **content))

    assert turn(humans={(1, 0): 6, (0, 1): 3}, werewolves={(1, 1): 5}) == Turn([(0, 0, 6, 1, 0)])
    assert turn(humans={(1, 0): 6}, werewolves={(1, 1): 4}) == Turn([(0, 0, 6, 1, 1)])
    assert turn(humans={(1, 0): 7, (0, 1): 7}, werewolves={(1, 1): 9}) == Turn([(0, 0, 1, 1, 0)])
    assert plain_turn(VampiresState(rows=1, columns=1, vampires={(0, 0): 6})) is None
    assert plain_turn(VampiresState(rows=1, columns=2, werewolves={(0, 0): 6})) is None


# Time.


def test_a_turn_that_did_not_count_makes_the_next_ones_sooner() -> None:
    seat = Simple(lambda state: Answered([(0, 0, 8, 1, 1)]))

    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening())
        for _ in range(2):
            await peer.send(Upd((CellContent(0, 0, 0, 8, 0),)))
            await peer.moves()
        await peer.send(End(), Bye())

    seen = visit(script, seat, seconds=10.0)
    assert "did not count" in seen.told[0]
    assert seat.seconds[1] < seat.seconds[0] < 10.0


# Nobody there.


def test_connection_refused_and_unknown_hosts_are_told() -> None:
    async def whole() -> tuple[str, str]:
        server = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()
        with pytest.raises(NoctagonError) as refused:
            await TcpClient(Simple()).play("127.0.0.1", port)
        with pytest.raises(NoctagonError) as unknown:
            await TcpClient(Simple()).play("no.such.host.invalid", port)
        return str(refused.value).replace(str(port), "PORT"), str(unknown.value)

    refused, unknown = asyncio.run(whole())
    assert refused == "nobody listens at 127.0.0.1:PORT: connection refused"
    assert unknown == "there is no host 'no.such.host.invalid'"


def test_a_silent_server_is_an_error() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        assert await peer.receive() is None

    error = visit(script, patience=0.05).error
    assert error.endswith("no game was played: the server said nothing more for 0.05 s")


def test_a_server_that_closes_at_once_is_an_error() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening())

    seen = visit(script)
    assert seen.reports == []
    assert seen.error.endswith("no game was played: the server closed the connection")


def test_staying_connects_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noctagon.wire.tcp.FIRST_WAIT", 0.001)
    reports: list[GameReport] = []
    told: list[str] = []
    enough = asyncio.Event()
    visits = 0

    async def script(peer: Peer) -> None:
        nonlocal visits
        visits += 1
        await peer.receive()
        if visits != 2:
            await peer.send(*opening(), Upd(()), End(), Bye())

    def report(game: GameReport) -> None:
        reports.append(game)
        if len(reports) == 3:
            enough.set()

    async def whole() -> None:
        async with serving(script) as port:
            staying = asyncio.create_task(
                TcpClient(Simple(), report=report, tell=told.append).stay("127.0.0.1", port)
            )
            await asyncio.wait_for(enough.wait(), 10)
            staying.cancel()
            await asyncio.gather(staying, return_exceptions=True)

    asyncio.run(whole())
    assert "no game was played: the server closed the connection; trying again in" in told[0]


# Any bytes at all.


@pytest.mark.parametrize("seed", range(4))
def test_any_byte_stream_ends_in_an_error_or_a_game(seed: int) -> None:
    endings = asyncio.run(fuzz(100, seed))
    assert endings["game"] > 5
    assert endings["error"] > 5


# Players beside the event loop.


class Deepening(Searcher):
    """Finds something at once, and something better when told that it may."""

    def __init__(self, may: threading.Event) -> None:
        self.may = may

    def think(self, state: Any, clock: Any) -> Any:
        yield Decision("soon")
        self.may.wait(10)
        yield Decision("late")


def request(seconds: float) -> Request:
    return Request(0, game.initial(), seconds)


def test_a_thread_that_overruns_has_its_best_so_far_taken() -> None:
    may = threading.Event()

    async def whole() -> list[Answer]:
        seat = ThreadSeat(lambda: Deepening(may))
        answers = [await seat.answer(request(0.05))]
        may.set()
        answers.append(await seat.answer(request(5.0)))
        await seat.close()
        return answers

    first, second = asyncio.run(whole())
    assert isinstance(first, Answered)
    assert isinstance(second, Answered)
    assert (first.action, second.action) == ("soon", "late")


def test_a_thread_that_is_left_alone_does_not_hold_up_the_next_thought() -> None:
    may = threading.Event()

    async def whole() -> Answer:
        seat = ThreadSeat(lambda: Deepening(may))
        left = asyncio.create_task(seat.answer(request(60.0)))
        await asyncio.sleep(0.01)
        left.cancel()
        answer = await asyncio.wait_for(seat.answer(request(0.05)), 5)
        may.set()
        await seat.close()
        assert left.cancelled()
        return answer

    answer = asyncio.run(whole())
    assert isinstance(answer, Answered)
    assert answer.action == "soon"


def test_a_crash_in_a_thread_is_told() -> None:
    class Crash:
        def choose(self, state: Any, clock: Any) -> Any:
            raise SystemExit(3)

    async def whole() -> Answer:
        seat = ThreadSeat(Crash)
        answer = await seat.answer(request(5.0))
        await seat.close()
        return answer

    answer = asyncio.run(whole())
    assert isinstance(answer, Broke)
    assert answer.line == "SystemExit: 3"


def test_a_person_cannot_join() -> None:
    with pytest.raises(NoctagonError, match="a person cannot join"):
        thinking_seat(PlayerSpec.parse("human"), game)


def test_our_own_player_plays_a_game() -> None:
    async def script(peer: Peer) -> None:
        await peer.receive()
        await peer.send(*opening())
        await peer.send(Upd(()))
        assert legal(await peer.moves())
        await peer.send(End(), Bye())

    seat = thinking_seat(PlayerSpec.parse("alphabeta:depth=1"), game)
    assert visit(script, seat).told == []


def test_asked_says_whether_more_may_follow() -> None:
    view = GameView()
    for packet in opening():
        view.receive(packet)
    assert view.receive(Upd((CELLS[0],) * 255)) == [Asked(full=True)]


# The command.


def test_the_command_plays_and_tells_a_line_per_game() -> None:
    async def script(peer: Peer) -> None:
        assert await peer.receive() == Nme(b"random")
        for species in ("werewolves", "vampires"):
            await peer.send(*opening(species))
            await peer.send(Upd(()))
            assert legal(await peer.moves(), species)
            await peer.send(End())
        await peer.send(Bye())

    async def whole() -> subprocess.CompletedProcess[str]:
        async with serving(script) as port:
            join = [sys.executable, "-m", "noctagon", "join", "--player", "random", "localhost", str(port)]
            return await asyncio.to_thread(
                subprocess.run, join, capture_output=True, text=True, check=False, timeout=60
            )

    done = asyncio.run(whole())
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["Werewolves", "Vampires"]


@pytest.mark.skipif(os.name != "posix", reason="elsewhere Ctrl-C cannot be sent to one process")
def test_ctrl_c_ends_reconnecting() -> None:
    command = [
        sys.executable,
        "-m",
        "noctagon",
        "join",
        "--reconnect",
        "--player",
        "random",
        "127.0.0.1",
        "1",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "connection refused; trying again in 0.5 s" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert err.endswith("noctagon: interrupted\n")
    assert process.returncode == 130  # no game was played


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("127.0.0.1", "1"), "nobody listens at 127.0.0.1:1: connection refused"),
        (("--side", "attacker", "127.0.0.1"), "--side is for a broker's address"),
        (("http://127.0.0.1:1/game/1",), "a broker does not say which side is whose"),
        (("--side", "x", "http://127.0.0.1:1/game/1"), "unknown side 'x'; there are: attacker, defender"),
        (("--side", "attacker", "http://127.0.0.1:1/game/1"), "nobody listens at http://127.0.0.1:1/game/1"),
        (("--time", "0"), "--time 0: more than 0 seconds"),
        (("--duration", "0"), "--duration 0: more than 0 seconds"),
        (("--side", "attacker", "--duration", "9", "http://127.0.0.1:1/game/1"), "--duration is for servers"),
        (("--player", "nobody.py:Bot"), "nobody.py"),
    ],
)
def test_mistakes_are_one_line_and_code_2(words: tuple[str, ...], says: str) -> None:
    out, err = noctagon("join", *words, code=2)
    assert out == ""
    assert says in err
