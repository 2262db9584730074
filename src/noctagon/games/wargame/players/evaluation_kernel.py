"""The evaluations of AI Wargame, compiled; `evaluation.py` names them and holds their weights.

Each is a sum of features times weights, the attacker's minus the defender's: with all weights but one term's
set to 0 it gives that term. A finished game, which `e0` alone knows nothing of, outweighs everything.
"""

import numpy as np

from noctagon.compiled.intrinsics import highest, lowest, size
from noctagon.compiled.jit import Int, Ints, compiled
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.kernel import DEFENDER_DOWN, GOES_ON, State, outcome
from noctagon.games.wargame.rules.tables import AHEAD, AROUND, BESIDE, DAMAGE

WIN = 1_000_000
"""Value of a won game, less the turns it took: `noctagon.search.tree.WIN`."""

BOARD = (1 << units.CELLS) - 1
LEFTMOST = sum(1 << cell for cell in range(0, units.CELLS, units.SIZE))
RIGHTMOST = LEFTMOST << units.SIZE - 1
NO_WAY = 8
"""Distance in steps of a Virus that cannot get at the enemy's AI at all; all larger ones count as this."""
FAR_OFF = 15
"""The turn limit is no nearer to the eye than this many times eight plies."""


@compiled
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


@compiled
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


@compiled
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
    reached = goal & (free | 1 << start)
    for steps in range(NO_WAY):
        if reached >> start & 1:
            return steps
        wider = around(reached) & (free | 1 << start)
        if wider == reached:
            return NO_WAY
        reached = wider
    return NO_WAY


@compiled
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
            if kind == units.VIRUS or kind == units.TECH:
                worth += weights[21] * size(beside & free)
            elif not struck:
                worth += weights[21] * size(Int(AHEAD[side, cell]) & free)
            while struck:
                other = Int(s.cells[lowest(struck)])
                struck &= struck - 1
                worth += weights[20] * min(DAMAGE[kind << 3 | other >> 4 & 7], other & 15)
            if kind == units.VIRUS:
                steps = steps_to(beside_enemy_ai, cell, free)
                worth += weights[10 + steps]
                worth -= weights[22] * steps * min(Int(s.ply), Int(s.plies)) // Int(s.plies)
            elif kind == units.TECH and beside_own_ai >> cell & 1:
                worth += weights[19]
        value += worth if side == units.ATTACKER else -worth
    return value


@compiled
def eights(s: State) -> Int:
    """Return the plies that are left, in eights, at most FAR_OFF of them.

    An evaluation that depends on the turn limit in these coarse steps alone lets a search keep one value for
    positions that differ in their turn only, and know when it must not.
    """
    return min(max(Int(s.plies) - Int(s.ply), 0) >> 3, FAR_OFF)


@compiled
def champion(s: State, weights: Ints) -> Int:
    """Value what both sides have, how far the Viruses are, how safe each AI is, who can wait, and how long
    there is.

    `weights` are, by kind, what a unit is worth (5) and each point of its health (5); what a Virus is worth
    that is 0 to NO_WAY moves from a cell beside the enemy's AI (9), and what each of these moves costs for
    every eight eights of plies that are gone (1); by side and kind, each step between a unit and the enemy's
    AI (10); what a friend (1) and, besides, a Tech (1) beside the own AI is worth, a free cell (1) and an
    enemy (1) beside it, an enemy near enough to blow itself up (1), and as many of these as would destroy it
    (1); each point of health that a unit could take from those beside it, for the mover (1) and the other
    (1); each free cell a nimble unit (1) and another one (1) could move to, and that no nimble one can move
    (1).

    Then, for the attacker alone, by the nimble units of the attacker and the defender, 0, 1 or more, who can
    wait (9); that the defender (1) or the attacker (1) is the first to run out of moves, and each move until
    then (2); the turn (1); and, by the eights that are left, the turn limit (16). By side, that enemies
    besiege the AI (2), what it would take from them in striking them down, at most all of its health (2),
    each friend beside them (2), that it would not live through it (2), and has no nimble friend beside it
    either (2); its steps from home (2) and lost health (2). Last, for the attacker alone and every eight that
    is gone, each clumsy (1) and nimble (1) unit of the defender, each clumsy (1) and nimble (1) one of the
    attacker.
    """
    ended = won(s)
    if ended:
        return ended
    mover = Int(s.side)
    nimble = Int(s.nimble)
    free = BOARD & ~(Int(s.army[0]) | Int(s.army[1]))
    left = eights(s)
    own_ai = ai_of(s, 0)
    enemy_ai = ai_of(s, 1)
    value = 0
    patience = other_patience = 0
    enough = 4 * left + 4
    for side in range(2):
        own = Int(s.army[side])
        enemy = Int(s.army[side ^ 1])
        walls = Int(BESIDE[own_ai])
        worth = weights[30] * size(walls & own) + weights[32] * size(walls & free)
        worth += weights[33] * size(walls & enemy)
        bombs = size(Int(AROUND[own_ai]) & enemy)
        worth += weights[34] * bombs
        if units.BLAST * bombs >= Int(s.cells[own_ai]) & 15:
            worth += weights[35]
        besiegers = walls & enemy
        if besiegers:
            taken = 0
            worth += weights[71 + side]
            while besiegers:
                cell = lowest(besiegers)
                besiegers &= besiegers - 1
                taken += SIEGE[Int(s.cells[cell]) & 127]
                worth += weights[75 + side] * (size(Int(BESIDE[cell]) & own) - 1)
            worth += weights[73 + side] * min(taken, units.FULL_HEALTH)
            if taken >= Int(s.cells[own_ai]) & 15:
                worth += weights[77 + side]
                if not walls & own & nimble:
                    worth += weights[79 + side]
        worth += weights[81 + side] * STEPS[own_ai * units.CELLS + (units.CELLS - 1) * (1 - side)]
        worth += weights[83 + side] * (units.FULL_HEALTH - (Int(s.cells[own_ai]) & 15))
        blow = weights[36] if side == mover else weights[37]
        approach = 20 + 5 * side
        corner = 0 if side == units.ATTACKER else units.CELLS - 1
        waits = moves = 0
        reserve = size(own) - 1
        viruses = 0
        rest = own
        while rest:
            cell = lowest(rest)
            rest &= rest - 1
            code = Int(s.cells[cell])
            kind = code >> 4 & 7
            worth += weights[kind] + weights[5 + kind] * (code & 15)
            worth += weights[approach + kind] * STEPS[cell * units.CELLS + enemy_ai]
            beside = Int(BESIDE[cell])
            struck = beside & enemy
            if nimble >> cell & 1:
                waits += size(beside & free)
                if kind == units.VIRUS:
                    viruses |= 1 << cell
                elif walls >> cell & 1:
                    worth += weights[31]
            else:
                reserve += STEPS[cell * units.CELLS + corner]
                if not struck:
                    moves += size(Int(AHEAD[side, cell]) & free)
            while struck:
                other = Int(s.cells[lowest(struck)])
                struck &= struck - 1
                worth += blow * min(DAMAGE[kind << 3 | other >> 4 & 7], other & 15)
        worth += weights[38] * waits + weights[39] * moves
        if not waits:
            worth += weights[40]
        if viruses:
            reached = Int(BESIDE[enemy_ai])
            steps = 0
            while steps < NO_WAY:
                there = reached & viruses
                if there:
                    worth += size(there) * (weights[10 + steps] + weights[19] * steps * (FAR_OFF - left) // 8)
                    viruses ^= there
                    if not viruses:
                        break
                wider = reached | around(reached & free)
                if wider == reached:
                    break
                reached = wider
                steps += 1
            worth += size(viruses) * (weights[10 + NO_WAY] + weights[19] * NO_WAY * (FAR_OFF - left) // 8)
        value += worth if side == units.ATTACKER else -worth
        own_ai, enemy_ai = enemy_ai, own_ai
        other_patience = patience
        patience = enough if own & nimble else min(reserve, enough)
    waiters = size(Int(s.army[0]) & nimble)
    other_waiters = size(Int(s.army[1]) & nimble)
    value += weights[41 + min(waiters, 2) * 3 + min(other_waiters, 2)]
    if patience < other_patience:
        value += weights[50] + weights[52] * patience
    elif other_patience < enough:
        value += weights[51] + weights[53] * other_patience
    gone = FAR_OFF - left
    others = size(Int(s.army[1])) - 1 - other_waiters
    value += gone * (weights[85] * others + weights[86] * other_waiters)
    others = size(Int(s.army[0])) - 1 - waiters
    value += gone * (weights[87] * others + weights[88] * waiters)
    value += weights[54] if mover == units.ATTACKER else -weights[54]
    return value + weights[55 + left]


@compiled
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
