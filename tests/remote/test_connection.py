"""A player's connection: which packets answer which question."""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable

import pytest

from noctagon.games.vampires.wire.connection import PlayerConnection
from noctagon.games.vampires.wire.packets import Mov, Nme, Upd, encode

TURN = encode(Mov(((0, 0, 1, 1, 0),)))


def run(test: Callable[[socket.socket, PlayerConnection], Awaitable[None]], name: bytes = b"slow") -> None:
    """Test with a player that has connected and given its name, unless that is empty."""

    async def connected() -> None:
        loop = asyncio.get_running_loop()
        arrival: asyncio.Future[PlayerConnection] = loop.create_future()
        server = await loop.create_server(lambda: PlayerConnection(arrival.set_result), "127.0.0.1", 0)
        with socket.create_connection(server.sockets[0].getsockname()) as player:
            if name:
                player.sendall(encode(Nme(name)))
            connection = await arrival
            if name:
                await connection.named(10)
            await test(player, connection)
        server.close()

    asyncio.run(connected())


def test_what_came_while_this_process_was_busy_does_not_answer_the_next_question() -> None:
    async def test(player: socket.socket, connection: PlayerConnection) -> None:
        assert await connection.ask([Upd(())], 0.05, lambda moves: True) is None
        player.sendall(TURN)
        time.sleep(0.05)  # as a player of ours in this very thread would
        assert await connection.ask([Upd(())], 0.05, lambda moves: True) is None
        assert connection.late == 1
        player.sendall(2 * TURN)  # for the question before, and one too many
        time.sleep(0.05)
        assert await connection.ask([Upd(())], 0.05, lambda moves: True) is None
        assert (connection.late, connection.unasked) == (2, 1)

    run(test)


def test_of_three_answers_at_once_an_illegal_one_in_the_middle_is_late() -> None:
    async def test(player: socket.socket, connection: PlayerConnection) -> None:
        first, second, third = (((0, 0, count, 1, 0),) for count in (1, 2, 3))
        for _ in range(2):
            assert await connection.ask([Upd(())], 0.05, lambda moves: True) is None
        asked = asyncio.create_task(connection.ask([Upd(())], 5, lambda moves: moves != second))
        await asyncio.sleep(0.05)
        player.sendall(b"".join(encode(Mov(moves)) for moves in (first, second, third)))
        reply = await asked
        assert reply is not None
        assert reply.moves == third

    run(test)


def test_a_name_that_comes_slowly_is_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noctagon.games.vampires.wire.connection.NAME_GRACE", 0.1)

    async def test(player: socket.socket, connection: PlayerConnection) -> None:
        player.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in encode(Nme(b"very-slow")):
            player.sendall(bytes([byte]))
            await asyncio.sleep(0.04)
        assert await connection.named(5) == "very-slow"

    run(test, name=b"")
