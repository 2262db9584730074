"""A broker's address for one program in a game with another referee: shown the other's moves, it posts its own."""

from __future__ import annotations

import asyncio

from noctagon.core.game import IllegalAction, NoctagonError, Side, State
from noctagon.games.wargame import Action
from noctagon.games.wargame.wire.broker import PostedMove, brief, success
from noctagon.games.wargame.wire.http import Response, failure

NOWHERE = Action(-1, -1)
"""An action for a move whose cells are not on the board; the referee refuses it by rule 1."""


class Relay:
    """One side of one game. `answer` gives the program's moves to the referee, illegal ones too."""

    def __init__(self, state: State[Action], side: Side, *, name: str = "1") -> None:
        self.state = state
        """The position the program knows of."""
        self.side = side
        self.name = name
        self.unasked = 0
        self.last: bytes | None = None
        self._move: PostedMove | None = None
        self._answer: asyncio.Future[Action] = asyncio.get_running_loop().create_future()

    async def answer(self, state: State[Action]) -> Action:
        """Show the program this position, and wait for its move."""
        self.show(state)
        return await asyncio.shield(self._answer)

    def show(self, state: State[Action]) -> None:
        """Show the program what the other has played to reach this position: also the end, for it to see it."""
        if state != self.state:
            action = next(action for action in self.state.actions() if self.state.play(action) == state)
            self.state = state
            self._move = PostedMove.of(action, state.ply)
            self.last = self._move.to_json()
            self._answer = asyncio.get_running_loop().create_future()

    def get(self, name: str) -> Response:
        return failure(404, "invalid server id") if name != self.name else Response(200, success(self.last))

    def post(self, name: str, body: bytes) -> Response:
        if name != self.name:
            return failure(404, "invalid server id")
        try:
            move = PostedMove.read(body)
        except NoctagonError as error:
            return failure(400, str(error))
        if move == self._move:
            return Response(200, success(body))
        if self._answer.done() or self.state.side != self.side or move.turn != self.state.ply + 1:
            self.unasked += 1
            return failure(409, f"turn {brief(move.turn)} is not yours to play now")
        action = NOWHERE
        try:
            action = move.action()
            self.state = self.state.play(action)
        except IllegalAction as error:
            return failure(422, f"illegal move: {error}")
        finally:
            self._answer.set_result(action)
        self._move, self.last = move, body
        return Response(200, success(body))
