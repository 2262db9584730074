"""The champion's evaluation by weights, compiled; `players/evaluation.py` names it and holds the weights.

It is the one the champion falls back on where there are units that its networks have never seen.
"""

from noctagon.compiled.intrinsics import lowest, size
from noctagon.compiled.jit import Int, Ints, entry
from noctagon.games.wargame.players.evaluation_kernel import (
    BOARD,
    FAR_OFF,
    NO_WAY,
    SIEGE,
    STEPS,
    ai_of,
    around,
    eights,
    won,
)
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.kernel import State
from noctagon.games.wargame.rules.tables import AHEAD, AROUND, BESIDE, DAMAGE


@entry
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
    # At least as many plies as either side has left: with these in reserve a side can wait for the limit.
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
        # Units near enough may blow themselves up one after the other.
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
                # The AI itself is one of the friends beside its besieger: hence 1 less.
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
        # Units other than the AI can at least blow themselves up, one ply each; clumsy ones also walk to the
        # far corner at most.
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
        # One flood from the enemy's AI serves all Viruses: each counts at the step at which it is reached.
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
                # Only free cells lead on, but a unit on the rim of the flood is reached itself.
                wider = reached | around(reached & free)
                if wider == reached:
                    break
                reached = wider
                steps += 1
            worth += size(viruses) * (weights[10 + NO_WAY] + weights[19] * NO_WAY * (FAR_OFF - left) // 8)
        value += worth if side == units.ATTACKER else -worth
        # For the second side the roles change; after the loop `patience` is the defender's.
        own_ai, enemy_ai = enemy_ai, own_ai
        other_patience = patience
        patience = enough if own & nimble else min(reserve, enough)
    waiters = size(Int(s.army[0]) & nimble)
    other_waiters = size(Int(s.army[1]) & nimble)
    value += weights[41 + min(waiters, 2) * 3 + min(other_waiters, 2)]
    # Passing is not allowed: the side that runs out of other moves must move its AI or blow it up.
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
