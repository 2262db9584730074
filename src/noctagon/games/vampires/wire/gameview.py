"""A player's view of a game, from a server's packets and without I/O: the position, and when a turn is due.

Servers differ, so as little as possible is taken for granted:

- The player's species is that of the cell HME names; the order of connecting and of moving does not matter.

- Cells hold what the last packet about them says, be it MAP or UPD, the changed ones or all.

- An UPD asks for a turn, whatever the other player gets: the protocol has no other way to ask. If another
comes before the answer (a long UPD in several parts, or a first UPD sent to both players and then the real
one), it takes the place of the first; both get one answer.

- A game ends with END, with BYE, or with the SET of the next.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from noctagon.core.game import MOST_PLIES, NoctagonError
from noctagon.games.vampires.rules.limits import LARGEST_BYTE
from noctagon.games.vampires.rules.ruleset import SERVER, SPECIES, Cell, Species, VampiresRules, neighbours
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn
from noctagon.games.vampires.wire.packets import Bye, CellContent, End, Hme, Hum, Map, Mov, Packet, Set, Upd

KINDS = ("humans", *SPECIES)


class GameReport(NamedTuple):
    """A game as our end of the wire saw it. Plies are counted by the turns we were asked for."""

    species: Species | None
    plies: int
    turns: int
    vampires: int
    werewolves: int
    ending: str
    whole: bool = True
    """True if the server ended it."""

    @property
    def played(self) -> bool:
        """True if the server ended the game or asked for at least one turn."""
        return self.whole or self.turns > 0

    def __str__(self) -> str:
        who = self.species.capitalize() if self.species else "Species unknown"
        return (
            f"{who}: {_count(self.plies, 'ply', 'plies')}, {_count(self.turns, 'turn')} of ours; "
            f"last seen: {self.vampires} vampires, {self.werewolves} werewolves; {self.ending}"
        )


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


class Opened(NamedTuple):
    """The board is known, and so is our species."""


class Asked(NamedTuple):
    """A turn is asked for. `full`: the packet could not have named one cell more, so another may follow."""

    full: bool = False


class GameEnded(NamedTuple):
    report: GameReport


class Dismissed(NamedTuple):
    """The server said BYE."""


Notice = Opened | Asked | GameEnded | Dismissed


class GameView:
    """The games of one connection, one after the other. Feed it the packets; it notices what has to be done.

    >>> from noctagon.games.vampires.wire.packets import *
    >>> view = GameView()
    >>> for packet in Set(1, 3), Hme(2, 0), Map((CellContent(0, 0, 0, 4, 0), CellContent(2, 0, 0, 0, 5))):
    ...     noticed = view.receive(packet)
    >>> noticed, view.species
    ([Opened()], 'werewolves')
    >>> view.receive(Upd(()))
    [Asked(full=False)]
    >>> print(view.state())
       0  1  2
    0 V4  . W5
    ply 0 of 200 · Werewolves 5, Vampires 4 · Werewolves to move
    """

    def __init__(self, rules: VampiresRules = SERVER) -> None:
        self.rules = rules
        self.playing = False
        self.complaints: list[str] = []
        """Packets of the server that make no sense, in words; the reader clears the list."""
        self._begin(0, 0)

    def _begin(self, rows: int, columns: int) -> None:
        self.rows = rows
        self.columns = columns
        self.home: Cell | None = None
        self.species: Species | None = None
        self.contents: dict[str, dict[Cell, int]] = {kind: {} for kind in KINDS}
        self.turns = 0
        self.asked = False
        self._second = False
        self._houses: frozenset[Cell] | None = None
        """The houses that HUM has named."""
        self._sources: dict[Cell, int] = {}
        self._expected: dict[Cell, tuple[str, int]] = {}
        """The content of cells by our last turn, where nothing else can have changed it."""

    def receive(self, packet: Packet) -> list[Notice]:
        """Return the consequences of a server's packet."""
        match packet:
            case Set(rows, columns):
                ended = self.leave("the next game began without END")
                self.playing = True
                self._begin(rows, columns)
                if not (rows and columns):
                    self._complain(f"SET: a grid of {rows} × {columns} has no cells")
                return ended
            case End():
                return self.leave("ended by the server")
            case Bye():
                return [*self.leave("BYE without END"), Dismissed()]
            case _ if not self.playing:
                self._complain(f"{_name(packet)} came outside of a game; expected SET")
            case Hme(x, y):
                self.home = (x, y)
                return self._learn()
            case Hum(houses):
                self._houses = frozenset(houses)
            case Map(cells):
                self._put("MAP", cells)
                if self._houses is not None and self._houses != self.contents["humans"].keys():
                    count = len(self.contents["humans"])
                    self._complain(
                        f"HUM names other houses than MAP: {len(self._houses)} and {count}; MAP counts"
                    )
                return self._learn()
            case Upd(cells):
                return self._update(cells)
        return []

    def leave(self, ending: str, *, whole: bool = True) -> list[Notice]:
        """End the game, if there is one."""
        if not self.playing:
            return []
        self.playing = False
        self.asked = False
        vampires, werewolves = (sum(self.contents[species].values()) for species in SPECIES)
        plies = self.ply + 1 if self.turns else 0
        return [GameEnded(GameReport(self.species, plies, self.turns, vampires, werewolves, ending, whole))]

    @property
    def ply(self) -> int:
        """Number of plies before the turn that was last asked for, as far as UPDs show."""
        return max(0, 2 * (self.turns - 1)) + self._second

    def state(self, plies: int | None = None) -> VampiresState:
        """Return the position, with the player's species to move; raise `NoctagonError` if it is impossible.

        The player is always side 0, since a server does not say who began the game. It does not say either
        after how many plies it ends: `plies` is an estimate, by default those of the rules. Once they have been
        played, the end is taken to be far.
        """
        if self.species is None:
            shown = "nowhere" if self.home is None else f"({self.home[0]},{self.home[1]})"
            raise NoctagonError(f"our species is not known: HME names {shown}, where neither species stands")
        plies = self.rules.plies if plies is None else plies
        if self.ply >= plies:
            plies = MOST_PLIES
        return VampiresState(
            rows=self.rows,
            columns=self.columns,
            humans=self.contents["humans"],
            vampires=self.contents["vampires"],
            werewolves=self.contents["werewolves"],
            to_move=self.species,
            first=self.species,
            ply=self.ply,
            rules=msgspec.structs.replace(self.rules, plies=plies),
        )

    def answered(self, turn: Turn | None) -> None:
        """Note that the turn asked for is over: it was answered with this turn, or not at all."""
        self.asked = False
        own = self.contents[self.species] if self.species else {}
        self._sources = {(move.x, move.y): own.get((move.x, move.y), 0) for move in turn or ()}
        self._expected = {} if turn is None else self._sure_content(turn)

    def _sure_content(self, turn: Turn) -> dict[Cell, tuple[str, int]]:
        """Return what the cells of a turn without a battle hold after it, if no enemy stands near them."""
        try:
            before = self.state()
            sent = Turn(to_packet(turn).moves)
            if before.chances(sent):
                return {}
            after = before.play(sent)
        except NoctagonError:
            return {}
        held = {kind: getattr(after, kind) for kind in KINDS}
        expected = {}
        for cell in {cell for x, y, _, tx, ty in sent for cell in ((x, y), (tx, ty))}:
            if after.own.keys().isdisjoint([cell, *neighbours(after, cell)]):
                expected[cell] = next(
                    ((kind, contents[cell]) for kind, contents in held.items() if cell in contents), ("", 0)
                )
        return expected

    def unheard(self) -> bool:
        """Return True if the last answer left no trace: everybody it sent away still stands there. So it came
        too late.
        """
        own = self.contents[self.species] if self.species else {}
        return bool(self._sources) and all(own.get(cell) == held for cell, held in self._sources.items())

    def differences(self) -> list[str]:
        """Return where the server has come to another count than the rules do; its count is played with."""
        expected, self._expected = self._expected, {}
        found = []
        for (x, y), (kind, count) in expected.items():
            holds = next(
                ((name, held[x, y]) for name, held in self.contents.items() if (x, y) in held), ("", 0)
            )
            if holds != (kind, count):
                there, due = (
                    f"{number} {name}" if number else "nothing" for name, number in (holds, (kind, count))
                )
                found.append(
                    f"the server counts otherwise: after our turn cell ({x},{y}) holds {there}, by the rules {due}"
                )
        return found

    def _update(self, cells: tuple[CellContent, ...]) -> list[Notice]:
        changed = self._put("UPD", cells)
        opened = self._learn()
        if not self.asked:
            self.asked = True
            self.turns += 1
        if self.turns == 1 and changed:
            self._second = True
        return [*opened, Asked(len(cells) >= LARGEST_BYTE)]

    def _put(self, command: str, cells: tuple[CellContent, ...]) -> bool:
        """Note the content of cells; return True if any of it is new."""
        new = False
        for x, y, *counts in cells:
            if not (x < self.columns and y < self.rows):
                self._complain(
                    f"{command}: cell ({x},{y}) is off the {self.rows} × {self.columns} grid; left out"
                )
                continue
            most = max(counts)
            kind = KINDS[counts.index(most)]
            if sum(counts) > most:
                listed = ", ".join(f"{count} {name}" for count, name in zip(counts, KINDS, strict=True))
                self._complain(
                    f"{command}: cell ({x},{y}) holds {listed}; a cell holds one kind: taken as {most} {kind}"
                )
            before = {name: held for name in KINDS if (held := self.contents[name].pop((x, y), 0))}
            if most:
                self.contents[kind][x, y] = most
            new |= before != ({kind: most} if most else {})
        return new

    def _learn(self) -> list[Notice]:
        """Find out the player's species, once it can be known, for the rest of the game."""
        if self.species is None and self.home is not None:
            for species in SPECIES:
                if self.home in self.contents[species]:
                    self.species = species
                    return [Opened()]
        return []

    def _complain(self, text: str) -> None:
        if len(self.complaints) < LARGEST_BYTE:
            self.complaints.append(text)


def _name(packet: Packet) -> str:
    return type(packet).__name__.upper()


def to_packet(turn: Turn) -> Mov:
    """Return a turn's packet: more than 255 creatures go in several moves; of too many moves for one packet,
    the first are sent (some moves of a legal turn are a legal turn).

    >>> to_packet(Turn([(0, 0, 300, 1, 0)]))
    Mov(moves=((0, 0, 255, 1, 0), (0, 0, 45, 1, 0)))
    """
    parts = [
        (x, y, min(LARGEST_BYTE, count - sent), tx, ty)
        for x, y, count, tx, ty in turn
        for sent in range(0, count, LARGEST_BYTE)
    ]
    return Mov(tuple(parts[:LARGEST_BYTE]))


def plain_turn(state: VampiresState) -> Turn | None:
    """Return a turn for a player that has none: the largest group takes the best it surely can, or steps
    aside.

    It asks nothing of the rules, so it also works where one species is alone. None where no group can move.
    """
    if not state.own:
        return None
    cell, count = max(state.own.items(), key=lambda group: group[1])

    def worth(target: Cell) -> int:
        if target in state.foes:
            return 1000 if 2 * count >= 3 * state.foes[target] else -1000
        if target in state.humans:
            return state.humans[target] if count >= state.humans[target] else -500
        return -1 if target in state.own else 0

    around = neighbours(state, cell)
    if not around:
        return None
    target = max(around, key=worth)
    return Turn([(*cell, count if worth(target) >= -1 else 1, *target)])
