"""Tic-tac-toe over TCP, so that programs in any language play it. Every message is a line of text:

program: Grace              its name, as soon as it has connected
server:  game X             it plays X
server:  turn 0 .........   after 0 turns the board is this
program: play 0 4           a mark on cell 4
server:  end Draw: full board
server:  bye                no game follows

The answer repeats the number of the turn, so that one that comes too late is never taken for the next.
"""

import asyncio
from collections.abc import Callable

from tictactoe import Board, game

from noctagon.core.clock import TimeControl
from noctagon.core.game import NoctagonError, Result, Side
from noctagon.core.match import Request
from noctagon.core.player import GameStart
from noctagon.core.seat import Answer, Answered, Broke, Seat
from noctagon.core.wire import Client, JoinOptions, Report
from noctagon.wire.lines import LineSeat
from noctagon.wire.tcp import RemoteSeat, TcpWire, connect


class ProgramSeat(LineSeat):
    """The server's end: asks a program for its turns."""

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        self.unasked = 0
        self.send(f"game {game.sides[side]}")
        return None

    async def answer(self, request: Request) -> Answer:
        board = request.state
        question = f"turn {board.ply} {game.format_position(board)}"
        return await self.ask(question, reply=f"play {board.ply} ", seconds=request.seconds)

    async def finish(self, result: Result) -> None:
        self.send(f"end {result.describe(game.sides)}")
        if self.last:
            self.dismiss()


class PlayerClient(Client):
    """The other end: lets one of noctagon's players answer."""

    def __init__(self, options: JoinOptions) -> None:
        if options.side or options.reconnect:
            raise NoctagonError("--side and --reconnect are not for tic-tac-toe")
        self.options = options

    def start(self) -> GameStart:
        return GameStart(game.initial(), TimeControl(turn=self.options.seconds))

    async def play(self, seat: Seat, *, report: Report, tell: Report) -> None:
        options = self.options
        side: Side = 0
        reader, writer, _ = await connect(options.address, options.port or TicTacToeWire.port)
        try:
            writer.write(f"{options.name}\n".encode())
            while line := await asyncio.wait_for(reader.readline(), options.patience):
                match line.decode().split():
                    case ["game", mark]:
                        side = 0 if mark == "X" else 1
                        await seat.start(self.start(), side)
                    case ["turn", ply, cells]:
                        answer = await seat.answer(Request(side, Board(cells), 0.9 * options.seconds))
                        if isinstance(answer, Answered):
                            writer.write(f"play {ply} {answer.action}\n".encode())
                        else:
                            tell(f"the player has no answer: {answer}")
                    case ["end", *words]:
                        report(" ".join(words))
        finally:
            writer.close()


class TicTacToeWire(TcpWire):
    protocol, port = "lines of text over TCP", 5556

    def connection(self, arrived: Callable[[RemoteSeat], None], log: Report) -> ProgramSeat:
        return ProgramSeat(arrived, log)

    def client(self, options: JoinOptions) -> PlayerClient:
        return PlayerClient(options)
