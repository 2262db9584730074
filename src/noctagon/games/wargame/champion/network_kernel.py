"""The champion's networks, compiled: the value of a position for the attacker, learned from games.

One of a single layer serves the champion as the defender. As the attacker it listens to two: one that is wider and
has a second layer, and with less weight one of a single layer; see `layers`.

A position switches on some rows of a table: one for each unit, by side, kind, cell and health; one for each two
enemies side by side; and one for each of a few things that the units' places do not show by themselves. The sum of
these rows, most of its numbers cut off below 0 and above 1, is what the layers weigh, by other weights for every
eight plies that are left. All numbers are whole ones, so that compiled and plain code agree to the last bit.

The rows, in this order (`GROUPS` has the beginning of each part):

- units: side, kind, cell, health;
- pairs: the attacker's kind, the defender's, whether a blow of the first, and of the second, destroys the other;
- turn: the eights of plies that are left, and who moves;
- ways: the moves from a Virus of the attacker to a cell beside the defender's AI, 0 to NO_WAY;
- waiting: by side, the moves until no unit but the AI has one (31: a Virus or Tech has always one); who runs out
  first; by side, the free cells beside Viruses and Techs, and those ahead of the others, at most 7;
- safety: by side, the enemies near enough to blow themselves up, and whether that destroys the AI; the free cells
  and the friends beside it; and, if enemies besiege it, whether it strikes them down before it is destroyed.
"""

import numpy as np

from noctagon.compiled.integer_layers import begins_of, layers
from noctagon.compiled.intrinsics import lowest, size
from noctagon.compiled.jit import Bool, Int, Ints, compiled, entry
from noctagon.games.wargame.players.evaluation_kernel import (
    BOARD,
    FAR_OFF,
    LEFTMOST,
    NO_WAY,
    RIGHTMOST,
    SIEGE,
    STEPS,
    ai_of,
    around,
    eights,
    won,
)
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.kernel import State
from noctagon.games.wargame.rules.tables import AROUND, BESIDE, DAMAGE

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
judge = layers(ROWS, FAR_OFF + 1, width=32)
judge_deeply = layers(ROWS, FAR_OFF + 1, width=128, second=32)
OTHER = begins_of(ROWS, FAR_OFF + 1, width=128, second=32)[-1]
"""Offset of the other network's weights, where there are two."""
SHARES, DEEP_SHARE = 16, 10
"""Denominator, and the share of it that the deep one of two networks has in the value."""
UNIT = np.array(
    [
        ((code >> 7) * 5 + (code >> 4 & 7)) * 225 + (code & 15) - 1 if code >> 4 & 7 < 5 else 0
        for code in range(256)
    ],
    np.int64,
)
"""The first row of a unit by its byte; nine more for each cell."""


@compiled
def ways_out(cells: Int, free: Int, ahead: Bool, back: Bool) -> Int:
    """Return the number of moves of the units on some cells: up and left (`ahead`, for the attacker), right
    and down (`back`).
    """
    found = 0
    if ahead:
        found = size(cells >> units.SIZE & free) + size(cells >> 1 & ~RIGHTMOST & free)
    if back:
        found += size(cells << units.SIZE & free) + size(cells << 1 & ~LEFTMOST & free)
    return found


@compiled
def list_fights(s: State, own: Int, enemy: Int, step: Int, n: Int) -> Int:
    """List the attacker's pairs with an enemy one step to either side, from place n on; return the number of rows."""
    after = own & enemy >> step
    before = own & enemy << step
    # Cells side by side in a number are not neighbours across the edge of the board.
    if step == 1:
        after &= ~RIGHTMOST
        before &= ~LEFTMOST
    # Both directions in one number: bits from 32 up are pairs with the enemy before the cell.
    pairs = after | before << 32
    while pairs:
        place = lowest(pairs)
        pairs &= pairs - 1
        cell = place & 31
        code = Int(s.cells[cell])
        other = Int(s.cells[cell - step if place > 31 else cell + step])
        kind, other_kind = code >> 4 & 7, other >> 4 & 7
        pair = 4 * (5 * kind + other_kind)
        if DAMAGE[kind << 3 | other_kind] >= other & 15:
            pair += 2
        if DAMAGE[other_kind << 3 | kind] >= code & 15:
            pair += 1
        s.scratch[n] = PAIRS + pair
        n += 1
    return n


@compiled
def list_ways(s: State, goal: Int, nimble: Int, free: Int, n: Int) -> Int:
    """List how far each Virus of the nimble units is from a goal, from place n on; return the number of rows."""
    viruses = nimble
    while nimble:
        cell = lowest(nimble)
        nimble &= nimble - 1
        if Int(s.cells[cell]) >> 4 & 7 != units.VIRUS:
            viruses ^= 1 << cell
    # One flood from the goal serves all Viruses, as in the evaluation `champion`.
    reached = goal
    steps = 0
    while viruses:
        there = size(reached & viruses)
        s.scratch[n] = s.scratch[n + 1] = WAYS + steps  # who has no more than two is served without a branch
        for i in range(2, there):
            s.scratch[n + i] = WAYS + steps
        n += there
        viruses &= ~reached
        wider = reached | around(reached & free)
        steps += 1
        if wider == reached or steps == NO_WAY:
            break
        reached = wider
    for _ in range(size(viruses)):
        s.scratch[n] = WAYS + NO_WAY
        n += 1
    return n


@entry
def list_rows(s: State) -> Int:
    """Write the rows that a position switches on in `s.scratch`, and return their number, at most 128."""
    nimble = Int(s.nimble)
    left = eights(s)
    free = BOARD & ~(Int(s.army[0]) | Int(s.army[1]))
    own_ai = ai_of(s, 0)
    enemy_ai = ai_of(s, 1)
    patience = other_patience = 0
    enough = 4 * left + 4
    s.scratch[0] = TURN + 2 * left + Int(s.side)
    n = 1
    rest = BOARD ^ free
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        s.scratch[n] = UNIT[Int(s.cells[cell])] + 9 * cell
        n += 1
    for side in range(2):
        own = Int(s.army[side])
        enemy = Int(s.army[side ^ 1])
        touched = around(enemy)
        walls = Int(BESIDE[own_ai])
        health = Int(s.cells[own_ai]) & 15
        bombs = min(size(Int(AROUND[own_ai]) & enemy), 4)
        # The rows of a number of enemies come twice: as they are, and where together they destroy the AI.
        lethal = 5 if units.BLAST * bombs >= health else 0
        s.scratch[n] = BOMBS + 10 * side + lethal + bombs
        s.scratch[n + 1] = WALLS + 25 * side + 5 * size(walls & free) + size(walls & own)
        waits = min(ways_out(own & nimble, free, True, True), 7)
        moves = min(ways_out(own & ~nimble & ~touched, free, side == 0, side == 1), 7)
        s.scratch[n + 2] = WAITS + 8 * side + waits
        s.scratch[n + 3] = MOVES + 8 * side + moves
        n += 4
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
        if side == units.ATTACKER:
            n = list_fights(s, own, enemy, 1, n)
            n = list_fights(s, own, enemy, units.SIZE, n)
            n = list_ways(s, Int(BESIDE[enemy_ai]), own & nimble, free, n)
        reserve = 31
        other_patience = patience
        patience = enough
        if not own & nimble:
            corner = 0 if side == units.ATTACKER else units.CELLS - 1
            reserve = size(own) - 1
            rest = own
            while rest:
                reserve += STEPS[lowest(rest) * units.CELLS + corner]
                rest &= rest - 1
            patience = min(reserve, enough)
            # 31 is the row of a side that never runs out.
            reserve = min(reserve, 30)
        s.scratch[n] = PATIENCE + 32 * side + reserve
        n += 1
        own_ai, enemy_ai = enemy_ai, own_ai
    race = 0
    if patience < other_patience:
        race = 1
    elif other_patience < enough:
        race = 2
    s.scratch[n] = RACE + race
    return n + 1


@entry
def network(s: State, weights: Ints) -> Int:
    """Return the value of a position by a network of one layer; a finished game has the value of its result."""
    ended = won(s)
    if ended:
        return ended
    return judge(weights, s.scratch, list_rows(s), eights(s))


@entry
def mean(deep: Int, other: Int) -> Int:
    """Return the weighted mean of two networks' values."""
    return (DEEP_SHARE * deep + (SHARES - DEEP_SHARE) * other) // SHARES


@entry
def networks(s: State, weights: Ints) -> Int:
    """Return the value of a position by a deep network and one of a single layer together."""
    ended = won(s)
    if ended:
        return ended
    count, phase = list_rows(s), eights(s)
    deep = judge_deeply(weights, s.scratch, count, phase)
    return mean(deep, judge(weights[OTHER:], s.scratch, count, phase))
