"""A seat at the end of a TCP connection: the course's protocol between the referee and a player's program."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from noctagon.core.events import Event, Played, Rewound
from noctagon.core.game import IllegalAction, NoctagonError, Result, Side, State
from noctagon.core.match import Request
from noctagon.core.player import GameStart
from noctagon.core.seat import Answer, Answered, Broke, Malformed, Missed
from noctagon.games.vampires import VampiresState
from noctagon.games.vampires.rules.limits import LARGEST_BYTE
from noctagon.games.vampires.rules.ruleset import SPECIES, Cell
from noctagon.games.vampires.rules.turn import read_moves
from noctagon.games.vampires.wire.connection import Moves, PlayerConnection
from noctagon.games.vampires.wire.packets import (
    Bye,
    CellContent,
    End,
    Hme,
    Hum,
    Map,
    Packet,
    PacketError,
    Set,
    Upd,
)
from noctagon.wire.tcp import Gone, RemoteSeat

PAUSE = 0.05
"""Seconds between packets that some real clients would take for one, or read in an exact number of receives."""


class WireSeat(RemoteSeat):
    """Plays over a connection, game after game."""

    def __init__(self, connection: PlayerConnection) -> None:
        self.connection = connection
        self._opening: asyncio.Task[None] | None = None
        self._ready_at = 0.0
        self._touched: list[list[Cell]] = [[], []]
        self._unasked_before = 0

    @property
    def unasked(self) -> int:  # type: ignore[override] # of this game alone
        return self.connection.unasked - self._unasked_before

    @property
    def address(self) -> str:  # type: ignore[override] # the connection's
        return self.connection.address

    @property
    def gone(self) -> str | None:
        return self.connection.gone

    async def named(self, seconds: float) -> str:
        return await self.connection.named(seconds)

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        if self._opening is None:
            self.open(start, side)
        assert self._opening is not None
        await self._opening
        self._opening = None
        if self.connection.gone is not None:
            return Broke(self.connection.gone, reason="disconnected")
        return None

    def open(self, start: GameStart, side: Side) -> None:
        """Send the player the board, at once, whether or not the other has come; `start` waits until that is done."""
        self._opening = asyncio.create_task(self._open(start, side))

    async def _open(self, start: GameStart, side: Side) -> None:
        """Send SET, HUM and HME in one write, MAP a moment later."""
        self._unasked_before = self.connection.unasked
        state = start.state
        assert isinstance(state, VampiresState)
        loop = asyncio.get_running_loop()
        self._touched = [[], []]
        home = state.vampires if state.sides[side].lower() == SPECIES[0] else state.werewolves
        houses = tuple(state.humans)
        self.connection.send(Set(state.rows, state.columns), Hum(houses), Hme(*next(iter(home))))
        await asyncio.sleep(PAUSE)
        self.connection.send(Map(tuple(contents(state, sorted(occupied(state), key=row_major)))))
        self._ready_at = loop.time() + PAUSE

    async def answer(self, request: Request) -> Answer:
        state = request.state
        assert isinstance(state, VampiresState)

        def legal(moves: Moves) -> bool:
            try:
                state.check(moves)
            except IllegalAction:
                return False
            return True

        early = self._ready_at - asyncio.get_running_loop().time()
        if early > 0:
            await asyncio.sleep(early)
        try:
            reply = await self.connection.ask(self._update(state), request.seconds, legal)
        except Gone as gone:
            return Broke(str(gone), reason="disconnected")
        except PacketError as error:
            return Malformed(str(error))
        return Missed() if reply is None else Answered(reply.moves, seconds=reply.seconds)

    def observe(self, event: Event) -> None:
        """Remember which cells each player's last turn touched: targets before sources."""
        if isinstance(event, Played):
            moves = read_moves(event.action)
            targets = [(move.tx, move.ty) for move in moves]
            sources = [(move.x, move.y) for move in moves]
            self._touched[event.side] = [*targets, *sources]
        elif isinstance(event, Rewound):
            self._touched = [[], []]

    async def finish(self, result: Result) -> None:
        """Send END; and after the last game BYE, a moment later."""
        self.connection.send(End())
        await asyncio.sleep(PAUSE)
        if self.last:
            self.dismiss()

    def dismiss(self) -> None:
        self.connection.send(Bye())
        self.connection.close()

    async def close(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
        self.connection.close()

    def _update(self, state: VampiresState) -> list[Packet]:
        """Return the changes since this player was last asked: its own last turn and the other's."""
        cells: list[Cell] = []
        for half in (0, 1):  # the targets of both turns, then the sources of both
            for touched in self._touched:
                middle = len(touched) // 2
                cells += touched[middle:] if half else touched[:middle]
        changed = list(contents(state, dict.fromkeys(cells)))
        return [
            Upd(tuple(changed[at : at + LARGEST_BYTE])) for at in range(0, max(len(changed), 1), LARGEST_BYTE)
        ]


def check_size(state: State[Any]) -> None:
    """Refuse a board that does not fit into the protocol's packets."""
    assert isinstance(state, VampiresState)
    if len(state.humans) > LARGEST_BYTE or len(list(occupied(state))) > LARGEST_BYTE:
        raise NoctagonError(
            f"the map has {len(state.humans)} houses and {len(list(occupied(state)))} cells that are not empty; "
            f"a program on the wire can be told {LARGEST_BYTE}"
        )


def row_major(cell: Cell) -> tuple[int, int]:
    return cell[1], cell[0]


def occupied(state: VampiresState) -> Iterable[Cell]:
    return [*state.humans, *state.vampires, *state.werewolves]


def contents(state: VampiresState, cells: Iterable[Cell]) -> Iterable[CellContent]:
    """Return the content of cells, as far as a byte can hold it."""
    for x, y in cells:
        held = (state.humans, state.vampires, state.werewolves)
        yield CellContent(x, y, *(min(LARGEST_BYTE, kind.get((x, y), 0)) for kind in held))
