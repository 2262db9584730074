"""Games for a bot under test: a map, a side, a way of sending; the referee's state; an opponent who lets it live."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import Enum
from random import Random

import msgspec

from noctagon.core.game import IllegalAction
from noctagon.games.vampires.maps.map import Map
from noctagon.games.vampires.rules.limits import LARGEST_BYTE
from noctagon.games.vampires.rules.ruleset import SERVER, Cell, Species
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn
from noctagon.games.vampires.wire import packets
from noctagon.games.vampires.wire.checker_hints import diagnose
from noctagon.games.vampires.wire.checker_trial import PIECE, STEP, Fault, Trial
from noctagon.games.vampires.wire.packets import CellContent, End, Hme, Hum, Packet, Set, Upd, encode

MOST_CELLS = LARGEST_BYTE
TRIES = 20
"""Number of attempts of the opponent to find a turn that leaves the bot alone."""


class Delivery(Enum):
    """The way the opening and the updates come over the wire: servers differ, and networks too."""

    COURSE = "SET, HUM and HME together, then MAP, then UPD, as the course's server does"
    APART = "every packet by itself"
    GLUED = "the opening and the first UPD in one piece"
    BYTEWISE = "the opening byte by byte"
    FRAGMENTED = "every UPD in pieces of two bytes"


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """The game of a check, and the way it is sent."""

    map: Map
    species: Species = "vampires"
    """The bot's."""
    first: Species = "vampires"
    delivery: Delivery = Delivery.COURSE
    whole_map: bool = False
    """True if the first UPD repeats the whole map."""
    most_turns: int | None = None
    """Maximum number of turns, where a few show all there is to see."""


def contents(state: VampiresState, cells: Sequence[Cell]) -> tuple[CellContent, ...]:
    """Return the content of cells in the form of MAP and UPD."""
    kinds = (state.humans, state.vampires, state.werewolves)
    return tuple(CellContent(x, y, *(kind.get((x, y), 0) for kind in kinds)) for x, y in cells)


def occupied(state: VampiresState) -> list[Cell]:
    """Return the cells that are not empty, row by row."""
    cells = [*state.humans, *state.vampires, *state.werewolves]
    return sorted(cells, key=lambda cell: (cell[1], cell[0]))


def touched(turn: Turn) -> list[Cell]:
    """Return the cells of a turn, targets before sources."""
    return [*((move.tx, move.ty) for move in turn), *((move.x, move.y) for move in turn)]


def opening(state: VampiresState, species: Species) -> tuple[Packet, Packet, Packet, Packet]:
    """Return the opening: SET, HUM, HME, MAP."""
    home = next(iter(state.vampires if species == "vampires" else state.werewolves))
    houses = sorted(state.humans, key=lambda cell: (cell[1], cell[0]))
    board = contents(state, occupied(state))
    return Set(state.rows, state.columns), Hum(tuple(houses)), Hme(*home), packets.Map(board)


class Play:
    """One game of a trial, from its opening to just before its END."""

    def __init__(self, trial: Trial, scenario: Scenario, *, turns: int, seed: int = 1) -> None:
        self.trial = trial
        self.scenario = scenario
        self.turns = min(turns, scenario.most_turns or turns)
        self.rng = Random(seed)
        self.state = VampiresState.from_map(scenario.map, SERVER, scenario.first)
        self.before: VampiresState | None = None
        """The position that the bot saw a turn ago."""
        self.own: list[Cell] = []
        self.others: list[Cell] = []
        self.played = 0

    async def open(self) -> None:
        """Send the opening, up to MAP; where all is glued together, nothing yet."""
        parts = opening(self.state, self.scenario.species)
        match self.scenario.delivery:
            case Delivery.GLUED:
                return
            case Delivery.BYTEWISE:
                await self.trial.say(*parts, piece=1)
            case Delivery.APART:
                for part in parts:
                    await self.trial.say(part)
                    await asyncio.sleep(STEP)
            case _:
                await self.trial.say(*parts[:3])
                await asyncio.sleep(STEP)
                await self.trial.say(parts[3])
        await asyncio.sleep(STEP)

    async def run(self) -> None:
        """Play the opening and the bot's turns."""
        await self.open()
        while self.played < self.turns and self.state.result is None:
            if not await self.turn():
                break

    async def turn(self) -> bool:
        """Play the opponent's ply, if it is on move, then the bot's; return False if there was none to play."""
        if self.state.species != self.scenario.species:
            self.oppose()
        if self.state.result is not None or len(self.changed()) > MOST_CELLS:  # they do not fit into one UPD
            return False
        await self.ask()
        answer = await self.trial.answer(self.played + 1)
        try:
            self.state.check(answer.moves)
        except IllegalAction as error:
            hint = diagnose(self.state, answer.moves, error, self.before)
            raise Fault(f"turn {self.played + 1}: {error}", received=encode(answer), hint=hint) from None
        turn = Turn(answer.moves)
        self.before = self.state
        self.state = self.state.play(turn, self.state.roll(turn, self.rng))
        self.own = touched(turn)
        self.played += 1
        return True

    def changed(self) -> list[Cell]:
        """Return the cells of the next UPD."""
        if self.scenario.whole_map and not self.played:
            return occupied(self.state)
        return list(dict.fromkeys([*self.own, *self.others]))

    async def ask(self) -> None:
        """Send UPD: it is the bot's turn."""
        update = Upd(contents(self.state, self.changed()))
        if self.played:
            await self.trial.expect_silence(PIECE, f"after its turn {self.played} and before the next UPD")
        else:
            await self.trial.forget()
        if self.scenario.delivery is Delivery.GLUED and not self.played:
            await self.trial.say(*opening(self.state, self.scenario.species), update)
        elif self.scenario.delivery is Delivery.FRAGMENTED:
            await self.trial.say(update, piece=2)
        else:
            await self.trial.say(update)

    def oppose(self) -> None:
        """Play the opponent's ply: at random, away from the bot where it can."""
        for _ in range(TRIES):
            turn = self.state.actions().sample(self.rng)
            if not any((move.tx, move.ty) in self.state.foes for move in turn):
                break
        self.state = self.state.play(turn, self.state.roll(turn, self.rng))
        self.others = touched(turn)

    async def finish(self) -> None:
        """Send END, which needs no answer."""
        await self.trial.say(End())
        await asyncio.sleep(STEP)
