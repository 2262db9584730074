"""Positions and turns to test with: at random from a seed, as hypothesis strategies, and as the oracle's."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, cast

from hypothesis import strategies as st

from noctagon.games.vampires.rules.ruleset import SPECIES, VampiresRules
from noctagon.games.vampires.rules.state import VampiresState
from tests.vampires import oracle

if TYPE_CHECKING:
    from collections.abc import Iterable

    from noctagon.games.vampires.rules.ruleset import Cell, Content, Species

SCALES = ((1, 3), (1, 12), (5, 40), (60, 255))
"""From how few to how many stand on a cell, in positions of different kinds."""
LARGE = (200, 3000)


def random_position(
    rng: Random, *, largest: int = 7, rules: VampiresRules | None = None, scale: tuple[int, int] | None = None
) -> VampiresState:
    """A position of an unfinished game on a small grid: crowded or empty, few or many on a cell."""
    rules = rules or VampiresRules(
        name=rng.choice(("handout", "server")), plies=rng.choice((20, 200)), majority=rng.random() < 0.1
    )
    while True:
        rows, columns = rng.randint(1, largest), rng.randint(1, largest)
        if rows * columns < 2:
            continue
        low, high = scale or rng.choice(SCALES if rules.name == "server" else (*SCALES, LARGE))
        cells = [(x, y) for x in range(columns) for y in range(rows)]
        rng.shuffle(cells)
        filled = rng.randint(2, max(2, min(len(cells), rng.choice((4, 10, 49)))))
        contents: tuple[dict[Cell, int], ...] = ({}, {}, {})
        for number, cell in enumerate(cells[:filled]):
            kind = number + 1 if number < 2 else rng.randrange(3)  # at least one group of each species
            contents[kind][cell] = rng.randint(low, high)
        state = VampiresState(
            rows=rows,
            columns=columns,
            humans=contents[0],
            vampires=contents[1],
            werewolves=contents[2],
            to_move=rng.choice(SPECIES),
            first=rng.choice(SPECIES),
            ply=rng.randrange(rules.plies),
            rules=rules,
        )
        if state.result is None:
            return state


def mutated(turn: Iterable[oracle.Move], state: VampiresState, rng: Random) -> list[oracle.Move]:
    """A turn with something wrong in it, most of the time, and its moves in any order."""
    moves = [list(move) for move in turn]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        move = rng.choice(moves) if moves else [0, 0, 1, 0, 1]
        kind = rng.randrange(8)
        if kind == 0:
            moves.clear()
        elif kind == 1:
            move[0] += rng.choice((-1, 1))
        elif kind == 2:
            move[2] = rng.choice((0, 0, -1, 256, move[2] + 1, 2 * move[2], 70_000))
        elif kind == 3:
            move[rng.choice((3, 4))] += rng.choice((-2, -1, 1, 2, 255))
        elif kind == 4:
            moves.append([move[3], move[4], 1, move[0], move[1]])
        elif kind == 5:
            moves.append(list(move))
        elif kind == 6:
            (x, y), count = rng.choice([*state.own.items(), *state.foes.items(), *state.humans.items()])
            moves.append([x, y, count, x + rng.randint(-1, 1), y + rng.randint(-1, 1)])
        else:
            move[3:] = move[:2]
    rng.shuffle(moves)
    return [cast("oracle.Move", tuple(move)) for move in moves]


def as_oracle(state: VampiresState) -> oracle.Position:
    """The same position as the oracle writes it."""
    return oracle.Position(
        rows=state.rows,
        columns=state.columns,
        humans=dict(state.humans),
        creatures={"vampires": dict(state.vampires), "werewolves": dict(state.werewolves)},
        mover=state.species,
        ply=state.ply,
        limit=state.rules.plies,
        server=state.rules.name == "server",
        majority=state.rules.majority,
    )


def small(
    *,
    rows: int = 3,
    columns: int = 3,
    humans: Content | None = None,
    vampires: Content | None = None,
    werewolves: Content | None = None,
    to_move: Species = "vampires",
    first: Species = "vampires",
    ply: int = 0,
    server: bool = False,
    plies: int = 200,
    majority: bool = False,
) -> VampiresState:
    """A position by its content, 3 × 3 unless told otherwise."""
    return VampiresState(
        rows=rows,
        columns=columns,
        humans=humans,
        vampires=vampires,
        werewolves=werewolves,
        to_move=to_move,
        first=first,
        ply=ply,
        rules=VampiresRules(name="server" if server else "handout", plies=plies, majority=majority),
    )


seeds = st.integers(0, 2**32 - 1)


@st.composite
def positions(draw: st.DrawFn) -> VampiresState:
    """Any position: also finished ones, empty ones, and those of any size."""
    rows, columns = draw(st.integers(1, 255)), draw(st.integers(1, 255))
    cells = st.tuples(st.integers(0, columns - 1), st.integers(0, rows - 1))
    rules = VampiresRules(
        name=draw(st.sampled_from(("handout", "server"))),
        plies=draw(st.integers(1, 1000)),
        majority=draw(st.booleans()),
    )
    counts = st.integers(1, 255 if rules.name == "server" else 100_000)
    content = draw(st.dictionaries(cells, st.tuples(st.integers(0, 2), counts), max_size=12))
    of_kind = [{cell: n for cell, (kind, n) in content.items() if kind == wanted} for wanted in range(3)]
    return VampiresState(
        rows=rows,
        columns=columns,
        humans=of_kind[0],
        vampires=of_kind[1],
        werewolves=of_kind[2],
        to_move=draw(st.sampled_from(SPECIES)),
        first=draw(st.sampled_from(SPECIES)),
        ply=draw(st.integers(0, 2000)),
        rules=rules,
    )
