"""The champion's networks, compiled: what a position is worth to the attacker, learned from games.

One serves the champion as the attacker, the other as the defender; they differ in their numbers only.

A position switches on some rows of a table: one for each unit, by side, kind, cell and health; one for each two
enemies side by side; and one for each of a few things that the units' places do not tell by themselves. The sum of
these rows, most of its numbers cut off below 0 and above 1, is weighed by one more row, of which there is one for
every eight plies that are left. All numbers are whole ones, so that compiled and plain code agree to the last bit.

The rows, in this order (`GROUPS` tells where each part begins):

- units: side, kind, cell, health;
- pairs: the attacker's kind, the defender's, whether a blow of the first, and of the second, destroys the other;
- turn: the eights of plies that are left, and who moves;
- ways: the moves from a Virus of the attacker to a cell beside the defender's AI, 0 to NO_WAY;
- waiting: by side, the moves until no unit but the AI has one (31: a Virus or Tech has always one); who runs out
  first; by side, the free cells beside Viruses and Techs, and those ahead of the others, at most 7;
- safety: by side, the enemies near enough to blow themselves up, and whether that destroys the AI; the free cells
  and the friends beside it; and, if enemies besiege it, whether it strikes them down before it is destroyed.
"""

from noctagon.games.wargame import units
from noctagon.games.wargame.bits import lowest, size
from noctagon.games.wargame.evaluation_kernel import (
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
from noctagon.games.wargame.kernel import State
from noctagon.games.wargame.tables import AHEAD, AROUND, BESIDE, DAMAGE
from noctagon.games.wargame.vectors import WIDTH, weigh
from noctagon.jit import Int, Ints, compiled

PAIRS = 10 * 25 * 9
TURN = PAIRS + 100
WAYS = TURN + 32
PATIENCE = WAYS + 16
RACE = PATIENCE + 64
WAITS = RACE + 4
MOVES = WAITS + 16
BOMBS = MOVES + 16
WALLS = BOMBS + 20
SIEGES = WALLS + 50
ROWS = SIEGES + 8
GROUPS = {
    "turn limit": TURN,
    "units": 0,
    "fights": PAIRS,
    "virus's way": WAYS,
    "waiting": PATIENCE,
    "safety": BOMBS,
}
"""The parts of the table by name, with the first row of each."""
CONSTANTS = (ROWS + FAR_OFF + 1) * WIDTH
LENGTH = CONSTANTS + FAR_OFF + 1
"""How many weights there are: the rows, and by eights that are left a row to weigh by, and a constant."""
FINE = 14
"""What the weighed sum is shifted by."""


@compiled
def list_rows(s: State) -> Int:
    """Write the rows that a position switches on in `s.scratch`; how many. No board has more than 128."""
    mover = Int(s.side)
    nimble = Int(s.nimble)
    left = eights(s)
    free = BOARD & ~(Int(s.army[0]) | Int(s.army[1]))
    own_ai = ai_of(s, 0)
    enemy_ai = ai_of(s, 1)
    patience = other_patience = 0
    enough = 4 * left + 4
    n = 0
    s.scratch[n] = TURN + 2 * left + mover
    n += 1
    for side in range(2):
        own = Int(s.army[side])
        enemy = Int(s.army[side ^ 1])
        walls = Int(BESIDE[own_ai])
        health = Int(s.cells[own_ai]) & 15
        bombs = min(size(Int(AROUND[own_ai]) & enemy), 4)
        lethal = 5 if units.BLAST * bombs >= health else 0
        s.scratch[n] = BOMBS + 10 * side + lethal + bombs
        s.scratch[n + 1] = WALLS + 25 * side + 5 * size(walls & free) + size(walls & own)
        n += 2
        besiegers = walls & enemy
        if besiegers:
            taken = 0
            while besiegers:
                taken += SIEGE[Int(s.cells[lowest(besiegers)]) & 127]
                besiegers &= besiegers - 1
            siege = 1
            if taken >= health:
                siege = 2 if walls & own & nimble else 3
            s.scratch[n] = SIEGES + 4 * side + siege
            n += 1
        corner = 0 if side == units.ATTACKER else units.CELLS - 1
        waits = moves = viruses = 0
        reserve = size(own) - 1
        rest = own
        while rest:
            cell = lowest(rest)
            rest &= rest - 1
            code = Int(s.cells[cell])
            kind = code >> 4 & 7
            s.scratch[n] = ((5 * side + kind) * 25 + cell) * 9 + (code & 15) - 1
            n += 1
            beside = Int(BESIDE[cell])
            struck = beside & enemy
            if nimble >> cell & 1:
                waits += size(beside & free)
                if kind == units.VIRUS:
                    viruses |= 1 << cell
            else:
                reserve += STEPS[cell * units.CELLS + corner]
                if not struck:
                    moves += size(Int(AHEAD[side, cell]) & free)
            if side == units.ATTACKER:
                while struck:
                    other = Int(s.cells[lowest(struck)])
                    struck &= struck - 1
                    other_kind = other >> 4 & 7
                    pair = 4 * (5 * kind + other_kind)
                    if DAMAGE[kind << 3 | other_kind] >= other & 15:
                        pair += 2
                    if DAMAGE[other_kind << 3 | kind] >= code & 15:
                        pair += 1
                    s.scratch[n] = PAIRS + pair
                    n += 1
        s.scratch[n] = WAITS + 8 * side + min(waits, 7)
        s.scratch[n + 1] = MOVES + 8 * side + min(moves, 7)
        n += 2
        if viruses and side == units.ATTACKER:
            reached = Int(BESIDE[enemy_ai])
            steps = 0
            while steps < NO_WAY:
                there = reached & viruses
                while there:
                    s.scratch[n] = WAYS + steps
                    n += 1
                    there &= there - 1
                viruses &= ~reached
                if not viruses:
                    break
                wider = reached | around(reached & free)
                if wider == reached:
                    break
                reached = wider
                steps += 1
            while viruses:
                s.scratch[n] = WAYS + NO_WAY
                n += 1
                viruses &= viruses - 1
        own_ai, enemy_ai = enemy_ai, own_ai
        other_patience = patience
        patience = enough if own & nimble else min(reserve, enough)
        s.scratch[n] = PATIENCE + 32 * side + (31 if own & nimble else min(reserve, 30))
        n += 1
    race = 0
    if patience < other_patience:
        race = 1
    elif other_patience < enough:
        race = 2
    s.scratch[n] = RACE + race
    return n + 1


@compiled
def network(s: State, weights: Ints) -> Int:
    """What a network says of a position; a finished game is worth what it is."""
    ended = won(s)
    if ended:
        return ended
    count = list_rows(s)
    left = eights(s)
    return (weigh(weights, s.scratch, count, ROWS + left) >> FINE) + Int(weights[CONSTANTS + left])
