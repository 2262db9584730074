"""A player's connection: which packets answer which question."""

import asyncio
import socket
import time

from noctagon.remote.connection import PlayerConnection
from noctagon.remote.packets import Mov, Nme, Upd, encode

TURN = encode(Mov(((0, 0, 1, 1, 0),)))


def test_what_came_while_this_process_was_busy_does_not_answer_the_next_question() -> None:
    async def test() -> None:
        loop = asyncio.get_running_loop()
        arrival: asyncio.Future[PlayerConnection] = loop.create_future()
        server = await loop.create_server(lambda: PlayerConnection(arrival.set_result), "127.0.0.1", 0)
        with socket.create_connection(server.sockets[0].getsockname()) as player:
            player.sendall(encode(Nme(b"slow")))
            connection = await arrival
            await connection.named(10)
            assert await connection.ask([Upd(())], 0.05, lambda moves: True) is None
            player.sendall(TURN)
            time.sleep(0.05)  # as a player of ours in this very thread would
            assert await connection.ask([Upd(())], 0.05, lambda moves: True) is None
            assert connection.late == 1
            player.sendall(2 * TURN)  # for the question before, and one too many
            time.sleep(0.05)
            assert await connection.ask([Upd(())], 0.05, lambda moves: True) is None
            assert (connection.late, connection.unasked) == (2, 1)
        server.close()

    asyncio.run(test())
