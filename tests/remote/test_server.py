"""The server against clients of every kind: the protocol's timing and order, slow ones, rude ones, lost ones."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest

from noctagon.core.game import NoctagonError
from noctagon.core.match import Match
from noctagon.core.wire import ServerTable, Watcher
from noctagon.games.vampires import VampiresState, game
from noctagon.games.vampires.rules.ruleset import SERVER, VampiresRules
from noctagon.games.vampires.wire.packets import (
    FROM_SERVER,
    Bye,
    Decoder,
    End,
    Hme,
    Hum,
    Map,
    Mov,
    Nme,
    Packet,
    Set,
    Upd,
    encode,
)
from noctagon.wire import server as server_module
from noctagon.wire.server import ServerOptions, TableServer
from tests.remote.fuzz import fuzz

game.load()


class Client:
    """A scripted player: raw bytes out, packets in, each with the write it came in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.decoder = Decoder(FROM_SERVER)
        self.inbox: list[Packet] = []
        self.cells: dict[tuple[int, int], tuple[int, int, int]] = {}
        self.size = (0, 0)
        self.mine = 0
        self.home = (0, 0)
        self.rng = Random(1)

    async def receive(self) -> Packet | None:
        """The next packet, or None at the end of the connection."""
        while not self.inbox:
            data = await asyncio.wait_for(self.reader.read(65536), 20)
            if not data:
                return None
            self.inbox += self.decoder.feed(data)
        packet = self.inbox.pop(0)
        match packet:
            case Set(rows, columns):
                self.size, self.cells = (rows, columns), {}
            case Hme(x, y):
                self.home = (x, y)
            case Map(cells) | Upd(cells):
                for x, y, *held in cells:
                    self.cells[x, y] = (held[0], held[1], held[2])
                if isinstance(packet, Map):
                    self.mine = 1 if self.cells[self.home][1] else 2
        return packet

    async def until(self, *kinds: type[Any]) -> Any:
        while (packet := await self.receive()) is not None:
            if isinstance(packet, kinds):
                return packet
        raise AssertionError(f"the connection ended before {kinds}")

    def send(self, *packets: Packet) -> None:
        self.writer.write(b"".join(map(encode, packets)))

    def turn(self) -> Mov:
        """Any group, whole, one step anywhere."""
        own = [(cell, held[self.mine]) for cell, held in self.cells.items() if held[self.mine]]
        (x, y), count = self.rng.choice(own)
        rows, columns = self.size
        around = [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
        tx, ty = self.rng.choice([(a, b) for a, b in around if 0 <= a < columns and 0 <= b < rows])
        return Mov(((x, y, count, tx, ty),))

    async def play(self, name: bytes | None = b"Client", think: float = 0.0) -> int:
        """Play until BYE or the end, naming itself unless it has; how many games ended."""
        if name is not None:
            self.send(Nme(name))
        games = 0
        while (packet := await self.receive()) is not None:
            match packet:
                case Upd():
                    await asyncio.sleep(think)
                    self.send(self.turn())
                case End():
                    games += 1
                case Bye():
                    break
        return games


class Ring(Watcher):
    """A running server, its finished games, and clients on demand."""

    def __init__(self, server: TableServer, log: Callable[[str], None] | None) -> None:
        self.server = server
        self.log = log
        self.listens = asyncio.Event()
        self.task: asyncio.Task[None]
        self.matches: list[Match] = []
        self.clients: list[Client] = []

    def listening(self, where: str) -> None:
        self.listens.set()

    def finished(self, table: ServerTable, match: Match) -> None:
        self.matches.append(match)

    def logged(self, line: str) -> None:
        if self.log is not None:
            self.log(line)

    async def client(self, name: bytes | None = None) -> Client:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        client = Client(reader, writer)
        client.rng = Random(len(self.clients))
        self.clients.append(client)
        if name is not None:
            client.send(Nme(name))
        return client

    async def done(self) -> list[Match]:
        await asyncio.wait_for(asyncio.shield(self.task), 60)
        return self.matches


@asynccontextmanager
async def ring(log: Callable[[str], None] | None = None, **options: Any) -> AsyncIterator[Ring]:
    plies = options.pop("plies", 200)
    rules = VampiresRules(name=options.pop("rules", "server"), plies=plies)
    server = TableServer(game.wire(), ServerOptions(rules=rules, **options))
    running = Ring(server, log)
    server.watchers.append(running)
    running.task = task = asyncio.create_task(server.run())
    await running.listens.wait()
    try:
        yield running
    finally:
        for client in running.clients:
            client.writer.close()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        for client in running.clients:
            with contextlib.suppress(OSError):
                await client.writer.wait_closed()


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(60):
            await test()

    asyncio.run(limited())


def test_the_opening_comes_in_two_writes_before_the_other_player_does() -> None:
    async def test() -> None:
        async with ring(map="tiny") as running:
            reader, writer = await asyncio.open_connection("127.0.0.1", running.server.port)
            writer.write(encode(Nme(b"Alone")))
            first = await reader.read(4096)
            second = await reader.read(4096)
            writer.close()
            kinds = [type(packet) for packet in Decoder(FROM_SERVER).feed(first)]
            assert kinds == [Set, Hum, Hme]
            (opening,) = Decoder(FROM_SERVER).feed(second)
            assert isinstance(opening, Map)
            assert [(cell.y, cell.x) for cell in opening.cells] == sorted(
                (cell.y, cell.x) for cell in opening.cells
            )
            assert all(sum(cell[2:]) for cell in opening.cells)

    run(test)


def test_the_first_to_connect_are_the_vampires_and_move_first() -> None:
    async def test() -> None:
        async with ring(map="tiny") as running:
            one = await running.client(b"One")
            await one.until(Map)
            two = await running.client(b"Two")
            await two.until(Map)
            assert (one.mine, two.mine) == (1, 2)
            assert await one.until(Upd) == Upd(())
            one.send(one.turn())
            update = await two.until(Upd)
            assert isinstance(update, Upd)
            assert len(update.cells) == 2

    run(test)


def test_upd_tells_the_last_turns_of_both_targets_before_sources() -> None:
    async def test() -> None:
        async with ring(map="deserted") as running:
            one, two = await running.client(b"One"), await running.client(b"Two")
            turns = []
            for player in (one, two, one):
                update = await player.until(Upd)
                turn = player.turn()
                player.send(turn)
                turns.append((update, turn.moves[0]))
            update, _ = turns[2]
            own, other = turns[0][1], turns[1][1]
            assert [tuple(cell[:2]) for cell in update.cells] == [own[3:], other[3:], own[:2], other[:2]]

    run(test)


def test_a_whole_game_and_its_record() -> None:
    async def test() -> None:
        lines: list[str] = []
        async with ring(lines.append, map="closet", plies=60) as running:
            clients = [await running.client() for _ in range(2)]
            games = list(await asyncio.gather(*(client.play(b"Bot") for client in clients)))
            (match,) = await running.done()
            assert games == [1, 1]
            assert match.players == ("Bot", "Bot")
            assert match.record().final() == match.state
            assert any("< MOV 1" in line for line in lines)
            assert any("> BYE" in line for line in lines)
            assert await clients[0].reader.read() == b""

    run(test)


def test_several_games_on_one_connection_swap_sides() -> None:
    async def test() -> None:
        async with ring(map="tiny", games=3) as running:
            one, two = await running.client(), await running.client()
            assert list(await asyncio.gather(one.play(b"One"), two.play(b"Two"))) == [3, 3]
            matches = await running.done()
            assert [match.players for match in matches] == [("One", "Two"), ("Two", "One"), ("One", "Two")]

    run(test)


def test_with_reconnect_every_game_has_its_own_connections() -> None:
    async def test() -> None:
        async with ring(map="tiny", games=2, reconnect=True) as running:

            async def twice(name: bytes) -> list[int]:
                return [await (await running.client()).play(name) for _ in range(2)]

            one = asyncio.create_task(twice(b"One"))
            await asyncio.sleep(0)
            assert list(await asyncio.gather(one, twice(b"Two"))) == [[1, 1], [1, 1]]
            first, second = await running.done()
            assert first.players == second.players[::-1]

    run(test)


def test_many_tables_at_once() -> None:
    async def test() -> None:
        async with ring(map="tiny", tables=20) as running:
            clients = [await running.client() for _ in range(40)]
            assert list(await asyncio.gather(*(client.play() for client in clients))) == [1] * 40
            assert len(await running.done()) == 20

    run(test)


def test_one_too_many_is_told_goodbye() -> None:
    async def test() -> None:
        async with ring(map="tiny") as running:
            for _ in range(2):
                await (await running.client(b"x")).until(Map)
            extra = await running.client(b"Extra")
            assert await extra.receive() == Bye()
            assert await extra.receive() is None

    run(test)


def test_a_player_who_leaves_while_waiting_gives_the_chair_back() -> None:
    async def test() -> None:
        async with ring(map="tiny", plies=6) as running:
            early = await running.client(b"Early")
            await early.until(Map)
            early.writer.close()
            await early.writer.wait_closed()
            one, two = await running.client(), await running.client()
            await asyncio.gather(one.play(b"One"), two.play(b"Two"))
            (match,) = await running.done()
            assert match.players == ("One", "Two")

    run(test)


@pytest.mark.parametrize(
    "pieces",
    [
        [b"N", b"ME\x03", b"Bob"],
        [b"NME", b"\x03", b"B", b"o", b"b"],
        [b"NME\x02Bob and more that nobody reads"],
        [b"NME\x00"],
        [b"NME\xc8" + b"x" * 200],
        [b"NME\x09Bob"],
        [b"NME\x03\xff\x00\x1b"],
        [b"NME\xff" + bytes(range(255))],
    ],
)
def test_names_as_real_clients_send_them(pieces: list[bytes]) -> None:
    async def test() -> None:
        async with ring(map="tiny", plies=4) as running:
            odd, other = await running.client(), await running.client()
            for piece in pieces:
                odd.writer.write(piece)
                await odd.writer.drain()
                await asyncio.sleep(0.01)

            async def go_on() -> None:
                while (packet := await odd.receive()) is not None:
                    if isinstance(packet, Upd):
                        odd.send(odd.turn())

            await asyncio.gather(go_on(), other.play())
            (match,) = await running.done()
            assert match.result is not None
            assert match.result.reason in ("ply limit", "elimination")
            assert all(name.isprintable() for name in match.players)

    run(test)


def test_a_turn_byte_by_byte() -> None:
    async def test() -> None:
        async with ring(map="tiny", plies=2) as running:
            one, two = await running.client(b"One"), await running.client(b"Two")
            await one.until(Upd)
            for byte in encode(one.turn()):
                one.writer.write(bytes([byte]))
                await one.writer.drain()
                await asyncio.sleep(0.001)
            await two.until(Upd)
            two.send(two.turn())
            await running.done()
            assert running.matches[0].illegal == [0, 0]

    run(test)


def test_no_answer_is_a_skipped_turn_and_the_same_list_again() -> None:
    async def test() -> None:
        async with ring(map="deserted", time=0.2, plies=5) as running:
            one, two = await running.client(b"One"), await running.client(b"Two")
            await one.until(Upd)
            one.send(one.turn())
            first = await two.until(Upd)
            second = await one.until(Upd)
            assert first == second
            (match,) = await running.done()
            assert match.late == [2, 2]

    run(test)


def test_a_late_answer_does_not_count_for_the_next_turn() -> None:
    async def test() -> None:
        async with ring(map="deserted", time=0.3, plies=4) as running:
            one, two = await running.client(b"One"), await running.client(b"Two")
            await one.until(Upd)
            late = one.turn()
            await two.until(Upd)  # One missed its turn
            one.send(late)
            await asyncio.sleep(0.05)
            two.send(two.turn())
            await one.until(Upd)
            one.send(one.turn())
            await running.done()
            (match,) = running.matches
            assert match.illegal == [0, 0]
            assert [bool(turn.skipped) for turn in match.turns][:3] == [True, False, False]

    run(test)


async def owing(running: Ring) -> tuple[Client, Client]:
    """Two players, the first of whom owes an answer and has been asked again."""
    one, two = await running.client(b"One"), await running.client(b"Two")
    await one.until(Upd)
    await two.until(Upd)
    two.send(two.turn())
    await one.until(Upd)
    return one, two


def test_while_an_answer_is_owed_an_illegal_one_is_dropped_as_late() -> None:
    async def test() -> None:
        async with ring(map="deserted", time=0.4, plies=4) as running:
            one, two = await owing(running)
            one.send(Mov(((0, 0, 9, 5, 5),)))
            one.send(one.turn())
            await two.until(Upd)
            await running.done()
            (match,) = running.matches
            assert match.illegal == [0, 0]
            assert not match.turns[2].skipped
            assert match.turns[2].seconds != 0.4, "played at the deadline, so it was held"

    run(test)


def test_while_an_answer_is_owed_a_legal_one_is_held_until_the_deadline_or_the_next() -> None:
    async def test() -> None:
        async with ring(map="deserted", time=0.4, plies=4) as running:
            one, two = await owing(running)
            held = one.turn()
            one.send(held)
            await two.until(Upd)
            await running.done()
            turn = running.matches[0].turns[2]
            assert turn.seconds == 0.4
            assert turn.action.startswith(f"{held.moves[0][0]},{held.moves[0][1]}>")
        async with ring(map="deserted", time=0.4, plies=4) as running:
            one, two = await owing(running)
            late, answer = one.turn(), one.turn()
            while answer == late:
                answer = one.turn()
            one.send(late, answer)
            await two.until(Upd)
            await running.done()
            turn = running.matches[0].turns[2]
            _, _, _, tx, ty = answer.moves[0]
            assert f">{tx},{ty}:" in turn.action
            assert turn.seconds != 0.4, "played at the deadline, so it was held"

    run(test)


def test_a_player_always_one_answer_behind_is_never_punished() -> None:
    """Each of its answers comes in the turn after its own: held, and played at the deadline where it is legal."""

    async def test() -> None:
        async with ring(map="deserted", time=0.2, plies=12) as running:
            one, two = await running.client(b"Behind"), await running.client(b"Prompt")
            playing = asyncio.create_task(two.play(None))
            await one.until(Upd)
            answer = one.turn()
            for _ in range(4):
                await one.until(Upd)
                one.send(answer)
                answer = one.turn()
            await playing
            (match,) = await running.done()
            assert match.illegal == [0, 0]
            assert match.result is not None
            assert match.result.reason in ("ply limit", "elimination")

    run(test)


@pytest.mark.parametrize(
    ("sent", "reason", "says"),
    [
        (b"MOV\x00", "illegal turn", "rule 1"),
        (b"MOV\x01\x00\x00\x01\x01\x01", "illegal turn", "rule 2"),
        (b"HELLO", "malformed packet", "begins no packet; expected NME or MOV"),
    ],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_an_illegal_turn_or_no_packet_costs_the_game_or_leniently_the_turn(
    sent: bytes, reason: str, says: str, lenient: bool
) -> None:
    async def test() -> None:
        async with ring(map="deserted", lenient=lenient, plies=3) as running:
            one, two = await running.client(b"One"), await running.client(b"Two")
            await one.until(Upd)
            one.writer.write(sent)
            if lenient:
                await two.until(Upd)
                two.send(two.turn())
                await one.until(Upd)
                one.send(one.turn())
            (match,) = await running.done()
            assert match.result is not None
            assert match.illegal == [1, 0]
            if lenient:
                assert says in match.turns[0].skipped
            else:
                assert (match.result.winner, match.result.reason) == (1, reason)
                assert says in match.result.detail

    run(test)


def test_a_player_who_disconnects_loses_and_the_other_is_told() -> None:
    async def test() -> None:
        async with ring(map="tiny") as running:
            one, two = await running.client(b"One"), await running.client(b"Two")
            await one.until(Upd)
            one.writer.write(b"MOV\x01\x02")  # in the middle of a packet
            one.writer.close()
            await two.until(End)
            await two.until(Bye)
            (match,) = await running.done()
            assert match.result is not None
            assert (match.result.winner, match.result.reason) == (1, "disconnected")

    run(test)


def test_both_lost_at_once() -> None:
    async def test() -> None:
        async with ring(map="tiny") as running:
            one, two = await running.client(b"One"), await running.client(b"Two")
            await one.until(Upd)
            one.writer.close()
            two.writer.close()
            (match,) = await running.done()
            assert match.result is not None
            assert match.result.reason == "disconnected"

    run(test)


def test_others_play_on_beside_the_rude(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "NAME_SECONDS", 1.0)

    async def test() -> None:
        async with ring(map="tiny", plies=20) as running:
            silent = [await running.client() for _ in range(1000)]
            flood = await running.client()
            with contextlib.suppress(ConnectionError):
                flood.writer.write(b"MOV" * 3_000_000)
            rude = await running.client()
            rude.writer.write(b"GET / HTTP/1.1\r\n\r\n")
            slow = await running.client()
            slow.writer.write(b"N")
            good = [await running.client() for _ in range(2)]
            assert list(await asyncio.gather(*(client.play(b"Good") for client in good))) == [1, 1]
            (match,) = await running.done()
            assert match.players == ("Good", "Good")
            assert len(silent) == 1000

    run(test)


def test_a_flood_out_of_turn_ends_the_flooder_only() -> None:
    async def test() -> None:
        async with ring(map="deserted", time=5) as running:
            one, two = await running.client(b"One"), await running.client(b"Two")
            for player in (one, two):
                await player.until(Upd)
                player.send(player.turn())
            await one.until(Upd)
            two.writer.write(encode(Mov(())) * 100_000)
            with contextlib.suppress(ConnectionError):
                while await two.receive() is not None:
                    pass
            one.send(one.turn())
            await one.until(End)
            (match,) = await running.done()
            assert match.result is not None
            assert (match.result.winner, match.result.reason) == (0, "disconnected")
            assert "nobody had asked for" in match.result.detail

    run(test)


def test_stopping_ends_the_games_in_order() -> None:
    async def test() -> None:
        async with ring(map="deserted") as running:
            one, two = await running.client(b"One"), await running.client(b"Two")
            await one.until(Upd)
            one.send(one.turn())
            await two.until(Upd)
            running.task.cancel()
            for client in (one, two):
                await client.until(End)
                await client.until(Bye)
            with contextlib.suppress(asyncio.CancelledError):
                await running.task
            (match,) = running.matches
            assert match.result is not None
            assert match.result.reason == "stopped"
            assert match.record().final() == match.state

    run(test)


def test_stopping_says_goodbye_to_those_without_a_chair() -> None:
    async def test() -> None:
        async with ring(reconnect=True, games=2) as running:
            for name in (b"One", b"Two"):
                await (await running.client(name)).until(Map)
            waiting, nameless = await running.client(b"Three"), await running.client()
            while running.server.arriving < 2:
                await asyncio.sleep(0.01)
            running.task.cancel()
            for left in (waiting, nameless):
                assert await left.receive() == Bye()
                assert await left.receive() is None

    run(test)


def test_stopping_loses_no_game_beside_an_idle_table() -> None:
    async def test() -> None:
        async with ring(map="deserted", tables=3) as running:
            one, two = await running.client(b"One"), await running.client(b"Two")
            await one.until(Upd)
            running.task.cancel()
            for client in (one, two):
                await client.until(End)
                await client.until(Bye)
            with contextlib.suppress(asyncio.CancelledError):
                await running.task
            (match,) = running.matches
            assert match.result is not None
            assert match.result.reason == "stopped"

    run(test)


def test_an_answer_owed_from_one_game_does_not_count_in_the_next() -> None:
    async def test() -> None:
        async with ring(map="deserted", time=0.4, plies=2, games=2) as running:
            one, two = await running.client(b"One"), await running.client(b"Two")
            await one.until(Upd)
            one.send(one.turn())
            await two.until(Upd)
            late = two.turn()  # the last turn of the game, which it misses
            await two.until(Upd)  # and now it begins the next one
            two.send(late)
            two.send(two.turn())
            await one.until(Upd)
            one.send(one.turn())
            first, second = await running.done()
            assert first.late == [0, 1]
            assert second.illegal == [0, 0]
            assert not second.turns[0].skipped

    run(test)


def test_when_one_leaves_between_games_the_other_is_told_goodbye() -> None:
    async def test() -> None:
        async with ring(map="deserted", games=3) as running:
            one, two = await running.client(b"One"), await running.client(b"Two")
            await one.until(Upd)
            one.writer.close()
            await two.until(End)
            await two.until(Bye)
            (match,) = await running.done()
            assert match.result is not None
            assert match.result.reason == "disconnected"

    run(test)


def test_the_port_may_be_taken() -> None:
    async def test() -> None:
        async with ring(map="tiny") as running:
            taken = TableServer(game.wire(), ServerOptions(rules=SERVER, port=running.server.port))
            with pytest.raises(NoctagonError, match=f"port {running.server.port} is taken"):
                await taken.run()

    run(test)


def test_a_lone_player_is_always_on_move() -> None:
    async def test() -> None:
        async with ring(map="deserted", solo=True, plies=10) as running:
            client = await running.client()
            assert await client.play(b"Solo") == 1
            (match,) = await running.done()
            assert [bool(turn.skipped) for turn in match.turns] == [False, True] * 5

    run(test)


def test_an_opponent_of_ours() -> None:
    async def test() -> None:
        async with ring(map="tiny", opponent="greedy", plies=10) as running:
            client = await running.client()
            assert await client.play(b"Student") == 1
            (match,) = await running.done()
            assert match.players == ("Student", "greedy")

    run(test)


@pytest.mark.parametrize(
    ("opponent", "says"),
    [
        ("gredy", "did you mean greedy?"),
        ("alphabeta:dept=3", "no option 'dept'"),
        ("human", "a person cannot sit at a server's table"),
        ("nobody.py:Bot", "nobody.py: No such file"),
    ],
)
def test_a_wrong_opponent_is_told_at_once(opponent: str, says: str) -> None:
    with pytest.raises(NoctagonError) as caught:
        TableServer(game.wire(), ServerOptions(rules=SERVER, opponent=opponent))
    assert says in str(caught.value)


def test_any_bytes_end_in_a_played_game() -> None:
    """Random, mutated and cut conversations, without a network; `bench/fuzz.py` plays many more."""
    endings = asyncio.run(fuzz(2000, seed=7))
    assert sum(endings.values()) == 2000
    assert {"illegal turn", "malformed packet", "disconnected", "no name"} <= set(endings)


def test_a_map_that_does_not_fit_on_the_wire_is_refused(tmp_path: Any) -> None:
    from noctagon.games.vampires.maps.maker import make_map
    from noctagon.games.vampires.maps.map import write_map

    path = tmp_path / "big.xml"
    path.write_text(write_map(make_map(Random(1), rows=40, columns=40, houses=300)))
    with pytest.raises(NoctagonError, match="cannot be served"):
        TableServer(game.wire(), ServerOptions(rules=SERVER, map=str(path)))


def test_counts_over_255_are_shown_as_255() -> None:
    from noctagon.games.vampires.wire.seat import contents

    state = VampiresState(rows=1, columns=3, vampires={(0, 0): 300}, werewolves={(2, 0): 255})
    assert [tuple(cell) for cell in contents(state, [(0, 0), (2, 0), (1, 0)])] == [
        (0, 0, 0, 255, 0),
        (2, 0, 0, 0, 255),
        (1, 0, 0, 0, 0),
    ]
