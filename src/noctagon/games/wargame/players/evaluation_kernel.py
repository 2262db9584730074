"""The evaluations of AI Wargame, compiled; `evaluation.py` names them and holds their weights.

Each is a sum of features times weights, the attacker's minus the defender's: with all weights but one term's
set to 0 it gives that term. A finished game, which `e0` alone knows nothing of, outweighs everything.
"""

import numpy as np

from noctagon.compiled.intrinsics import highest, lowest, size
from noctagon.compiled.jit import Int, Ints, compiled, entry
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.kernel import DEFENDER_DOWN, GOES_ON, State, outcome
from noctagon.games.wargame.rules.tables import AHEAD, BESIDE, DAMAGE

WIN = 1_000_000
"""Value of a won game, less the turns it took: `noctagon.search.tree.WIN`."""

BOARD = (1 << units.CELLS) - 1
LEFTMOST = sum(1 << cell for cell in range(0, units.CELLS, units.SIZE))
RIGHTMOST = LEFTMOST << units.SIZE - 1
NO_WAY = 8
"""Distance in steps of a Virus that has no way to the enemy's AI; larger distances count as this one."""
FAR_OFF = 15
"""Largest number of eights of plies left that an evaluation distinguishes."""


@entry
def e0(s: State, weights: Ints) -> Int:
    """Return the course's e0, which the rules kernel keeps up to date with every action."""
    return Int(s.e0)


@compiled
def won(s: State) -> Int:
    """Return the value of a finished game for the attacker, larger for a sooner win; 0 while it goes on."""
    stands = outcome(s)
    if stands == GOES_ON:
        return 0
    worth = WIN - min(Int(s.ply), 100_000)
    return worth if stands == DEFENDER_DOWN else -worth


@compiled
def ai_of(s: State, side: Int) -> Int:
    """Return the cell of a side's AI; the search begins at home, which it seldom leaves."""
    army = Int(s.army[side])
    while army:
        cell = highest(army) if side == units.ATTACKER else lowest(army)
        army ^= 1 << cell
        if Int(s.cells[cell]) >> 4 & 7 == units.AI:
            return cell
    return 0


@compiled
def steps_between(cell: Int, other: Int) -> Int:
    """Return the number of steps between two cells, whatever stands between them."""
    return abs(cell // units.SIZE - other // units.SIZE) + abs(cell % units.SIZE - other % units.SIZE)


STEPS = np.array([abs(a // 5 - b // 5) + abs(a % 5 - b % 5) for a in range(25) for b in range(25)], np.int64)
"""The steps between two cells, by `cell * 25 + other`."""


_taken = [
    -(-health // units.DAMAGE[units.AI][kind]) * units.DAMAGE[kind][units.AI]
    for kind in range(len(units.KINDS))
    for health in range(16)
]
SIEGE = np.array(_taken + [0] * (128 - len(_taken)), np.int64)
"""Damage that an AI takes from a unit beside it until it has struck that unit down, by `kind << 4 | health`."""


@entry
def health(s: State, weights: Ints) -> Int:
    """Value what both sides have, and how near their Viruses are to the enemy's AI.

    `weights` are, by kind, what a unit is worth (5) and each point of its health (5), and what a Virus gains
    with every step towards the enemy's AI (1).
    """
    ended = won(s)
    if ended:
        return ended
    value = 0
    for side in range(2):
        enemy_ai = ai_of(s, side ^ 1)
        worth = 0
        own = Int(s.army[side])
        while own:
            cell = lowest(own)
            own &= own - 1
            code = Int(s.cells[cell])
            kind = code >> 4 & 7
            worth += weights[kind] + weights[5 + kind] * (code & 15)
            if kind == units.VIRUS:
                steps = steps_between(cell, enemy_ai)
                worth -= weights[10] * steps
        value += worth if side == units.ATTACKER else -worth
    return value


@entry
def e1(s: State, weights: Ints) -> Int:
    """Value what both sides have, and how exposed each AI is.

    `weights` are, by kind, what a unit is worth (5), each point of its health (5), and each step between it
    and the enemy's AI (5); then what each free cell beside the own AI costs (1), and what each one beside the
    enemy's AI is worth that a Virus can step on next (1).
    """
    ended = won(s)
    if ended:
        return ended
    free = BOARD & ~(Int(s.army[0]) | Int(s.army[1]))
    value = 0
    for side in range(2):
        enemy_ai = ai_of(s, side ^ 1)
        doors = Int(BESIDE[enemy_ai]) & free
        worth = -weights[15] * size(Int(BESIDE[ai_of(s, side)]) & free)
        own = Int(s.army[side])
        while own:
            cell = lowest(own)
            own &= own - 1
            code = Int(s.cells[cell])
            kind = code >> 4 & 7
            worth += weights[kind] + weights[5 + kind] * (code & 15)
            steps = steps_between(cell, enemy_ai)
            worth -= weights[10 + kind] * steps
            if kind == units.VIRUS:
                worth += weights[16] * size(doors & Int(BESIDE[cell]))
        value += worth if side == units.ATTACKER else -worth
    return value


@compiled
def around(cells: Int) -> Int:
    """Return the cells beside those of a set, with the set itself."""
    return (
        cells
        | cells << units.SIZE & BOARD
        | cells >> units.SIZE
        | cells << 1 & ~LEFTMOST & BOARD
        | cells >> 1 & ~RIGHTMOST
    )


@compiled
def steps_to(goal: Int, start: Int, free: Int) -> Int:
    """Return the number of moves from a cell to one of a set over free cells; NO_WAY where there is no way or
    a longer one.
    """
    # A flood from the goal: one set operation a step, whatever the number of ways.
    reached = goal & (free | 1 << start)
    for steps in range(NO_WAY):
        if reached >> start & 1:
            return steps
        wider = around(reached) & (free | 1 << start)
        # The flood has stopped: the start lies behind other units.
        if wider == reached:
            return NO_WAY
        reached = wider
    return NO_WAY


@entry
def e2(s: State, weights: Ints) -> Int:
    """Value what both sides have, what they can do next, and how long a Virus still has to walk.

    `weights` are, by kind, what a unit is worth (5) and each point of its health (5); what a Virus is worth
    that is 0 to NO_WAY moves from a cell beside the enemy's AI (9); what a Tech beside the own AI is worth
    (1); each point of health a unit could take from those beside it (1); each free cell a unit could move to
    (1); what each of a Virus's moves costs at the turn limit, in proportion before (1); and, by kind, each
    step between a unit and the enemy's AI (5).
    """
    ended = won(s)
    if ended:
        return ended
    free = BOARD & ~(Int(s.army[0]) | Int(s.army[1]))
    value = 0
    for side in range(2):
        enemy = Int(s.army[side ^ 1])
        enemy_ai = ai_of(s, side ^ 1)
        beside_enemy_ai = Int(BESIDE[enemy_ai])
        beside_own_ai = Int(BESIDE[ai_of(s, side)])
        worth = 0
        own = Int(s.army[side])
        while own:
            cell = lowest(own)
            own &= own - 1
            code = Int(s.cells[cell])
            kind = code >> 4 & 7
            worth += weights[kind] + weights[5 + kind] * (code & 15)
            worth -= weights[23 + kind] * steps_between(cell, enemy_ai)
            beside = Int(BESIDE[cell])
            struck = beside & enemy
            # Only Viruses and Techs move while engaged, and in every direction.
            if kind == units.VIRUS or kind == units.TECH:
                worth += weights[21] * size(beside & free)
            elif not struck:
                worth += weights[21] * size(Int(AHEAD[side, cell]) & free)
            while struck:
                other = Int(s.cells[lowest(struck)])
                struck &= struck - 1
                # A blow is worth no more than the health that is there to take.
                worth += weights[20] * min(DAMAGE[kind << 3 | other >> 4 & 7], other & 15)
            if kind == units.VIRUS:
                steps = steps_to(beside_enemy_ai, cell, free)
                worth += weights[10 + steps]
                worth -= weights[22] * steps * min(Int(s.ply), Int(s.plies)) // Int(s.plies)
            elif kind == units.TECH and beside_own_ai >> cell & 1:
                worth += weights[19]
        value += worth if side == units.ATTACKER else -worth
    return value


@entry
def eights(s: State) -> Int:
    """Return the plies that are left, in eights, at most FAR_OFF of them.

    An evaluation that depends on the turn limit in these coarse steps alone lets a search keep one value for
    positions that differ in their turn only, and know when it must not.
    """
    return min(max(Int(s.plies) - Int(s.ply), 0) >> 3, FAR_OFF)


@entry
def turtle(s: State, weights: Ints) -> Int:
    """Value how well each side sits in its corner: all it has, the AI at home, Techs beside it, no unit far
    away.

    `weights` are, by kind, what a unit is worth (5), each point of its health (5), and each step it is from
    its home corner (5); and what each cell beside the AI is worth on which a friend stands (1).
    """
    ended = won(s)
    if ended:
        return ended
    value = 0
    for side in range(2):
        corner = units.CELLS - 1 if side == units.ATTACKER else 0
        worth = weights[15] * size(Int(BESIDE[ai_of(s, side)]) & Int(s.army[side]))
        own = Int(s.army[side])
        while own:
            cell = lowest(own)
            own &= own - 1
            code = Int(s.cells[cell])
            kind = code >> 4 & 7
            steps = steps_between(cell, corner)
            worth += weights[kind] + weights[5 + kind] * (code & 15) - weights[10 + kind] * steps
        value += worth if side == units.ATTACKER else -worth
    return value
