"""The rules of AI Wargame, compiled: legality, turns and how to take them back, the end, counting, searching.

A position is one record. Its cells hold the unit bytes of `units.py`; beside them the same is kept as sets of
cells (bit `cell` of a number), so that what a unit can do is a handful of bit operations:

- `army[side]`: the units of a side;
- `nimble`: Viruses and Techs. They move in all directions and while engaged, the others do neither; and they
  are just what an AI can repair, while a Tech repairs just the others;
- `damaged`: units with less than full health.

`make` writes what it changes on a log inside the record and `unmake` takes it back from there. A row of `log`
holds all of the position but its cells, and the action with the old bytes of its two cells; a row of `blasts`
the old bytes of those struck by a self-destruction. Row 0 stays unused, so that no index is ever negative.
There is room for `DEPTHS` turns; callers keep to that. `scratch` is no part of the position: an evaluation may
write there.

Actions come in one fixed order: sources row by row, for each the targets row by row (up, left, right, down),
the self-destruction last.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.compiled.intrinsics import lowest, size
from noctagon.compiled.jit import Bytes, Int, Ints, Nothing, Record, compiled, entry
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.tables import AHEAD, AROUND, BESIDE, DAMAGE, REPAIR, WORTH

DEPTHS = 128
"""Maximum number of turns that can be made and not yet unmade."""
MOST_ACTIONS = 5 * 25
"""No position has more actions: each unit has 4 neighbours and itself."""
KEY_BYTES = 35
"""A position's canonical bytes: 25 cells, side, limit first or not, turns (4, low first), limit (4)."""

BOTH_ALIVE = 3
"""The value of `alive` while both AIs stand: 1 for the attacker's, 2 for the defender's."""

GOES_ON, DEFENDER_DOWN, ATTACKER_DOWN, BOTH_DOWN, LIMIT = range(5)
"""Outcomes: the game goes on, one AI or both are destroyed, the turn limit is reached."""

LEGAL, OFF_BOARD, NOT_OWN, NOT_ADJACENT, ENGAGED, BACKWARDS, CANNOT_REPAIR, HEALTHY, OVER = range(9)
"""Answers of `illegal`: the number of the broken rule, as `state.py` lists them."""

LAYOUT = np.dtype(
    [
        ("cells", np.uint8, 25),
        ("side", np.uint8),
        ("limit_first", np.uint8),
        ("alive", np.uint8),
        ("ply", np.int32),
        ("plies", np.int32),
        ("army", np.int32, 2),
        ("nimble", np.int32),
        ("damaged", np.int32),
        ("e0", np.int32),
        ("made", np.uint32),
        ("nodes", np.int64),
        ("log", np.int32, (DEPTHS + 1, 8)),
        ("blasts", np.uint8, (DEPTHS + 1, 8)),
        ("scratch", np.int32, 128),
    ],
    align=True,
)

if TYPE_CHECKING:
    State = Any
else:
    State = Record(LAYOUT)


@compiled
def outcome(s: State) -> Int:
    """Return the outcome of a position: one of GOES_ON … LIMIT."""
    if s.ply >= s.plies and (s.limit_first == 1 or s.alive == BOTH_ALIVE):
        return LIMIT
    if s.alive == BOTH_ALIVE:
        return GOES_ON
    if s.alive == 1:
        return DEFENDER_DOWN
    return ATTACKER_DOWN if s.alive == 2 else BOTH_DOWN


@compiled
def targets(s: State, source: Int) -> Int:
    """Return the cells the mover's unit on `source` can act on, other than its own: moves, attacks and repairs."""
    side = Int(s.side)
    own = Int(s.army[side])
    enemy = Int(s.army[side ^ 1])
    nimble = Int(s.nimble)
    beside = Int(BESIDE[source])
    attacks = beside & enemy
    if nimble >> source & 1:
        reach = attacks | beside & ~(own | enemy)
    # Other units do not move while engaged, and else forward only.
    elif attacks:
        reach = attacks
    else:
        reach = Int(AHEAD[side, source]) & ~(own | enemy)
    # The unit's kind matters only where a damaged friend is beside it, which is rare.
    patients = beside & own & Int(s.damaged)
    if patients:
        kind = Int(s.cells[source]) >> 4 & 7
        if kind == units.AI:
            reach |= patients & nimble
        elif kind == units.TECH:
            reach |= patients & ~nimble
    return reach


@entry
def illegal(s: State, source: Int, target: Int) -> Int:
    """Return the number of the rule that the action breaks; LEGAL if none."""
    if outcome(s) != GOES_ON:
        return OVER
    if not (0 <= source < 25 and 0 <= target < 25):
        return OFF_BOARD
    side = Int(s.side)
    own = Int(s.army[side])
    enemy = Int(s.army[side ^ 1])
    if not own >> source & 1:
        return NOT_OWN
    # The common case first. What follows only finds the reason for a refusal, in the order of the rules.
    if target == source or targets(s, source) >> target & 1:
        return LEGAL
    if not BESIDE[source] >> target & 1:
        return NOT_ADJACENT
    if not own >> target & 1:
        return ENGAGED if BESIDE[source] & enemy else BACKWARDS
    kinds = (Int(s.cells[source]) >> 4 & 7) << 3 | Int(s.cells[target]) >> 4 & 7
    return HEALTHY if REPAIR[kinds] > 0 else CANNOT_REPAIR


@entry
def actions(s: State, found: Ints) -> Int:
    """Write every legal action as `source * 25 + target` and return their number, at most MOST_ACTIONS."""
    count = 0
    if outcome(s) != GOES_ON:
        return count
    sources = Int(s.army[Int(s.side)])
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        reach = targets(s, source)
        while reach:
            found[count] = source * 25 + lowest(reach)
            reach &= reach - 1
            count += 1
        # source * 25 + source: the self-destruction.
        found[count] = source * 26
        count += 1
    return count


@compiled
def hit(s: State, cell: Int, damage: Int) -> Nothing:
    """Damage a unit, and take it off the board if that is too much for it."""
    code = Int(s.cells[cell])
    if code & 15 > damage:
        s.cells[cell] = code - damage
        s.damaged |= 1 << cell
        return
    side = code >> 7
    kind = code >> 4 & 7
    others = ~(1 << cell)
    s.cells[cell] = 0
    s.army[side] &= others
    s.nimble &= others
    s.damaged &= others
    # e0 counts units whatever their health, so that only a loss changes it.
    s.e0 -= WORTH[side, kind]
    if kind == units.AI:
        # 2 - side is the bit of the other side's AI.
        s.alive &= 2 - side


@compiled
def make(s: State, source: Int, target: Int) -> Nothing:
    """Play a legal action."""
    code = Int(s.cells[source])
    other = Int(s.cells[target])
    made = Int(s.made) + 1
    s.made = made
    s.log[made, 0] = s.army[0]
    s.log[made, 1] = s.army[1]
    s.log[made, 2] = s.nimble
    s.log[made, 3] = s.damaged
    s.log[made, 4] = s.e0
    s.log[made, 5] = s.alive
    s.log[made, 6] = source | target << 5 | code << 10 | other << 18
    side = Int(s.side)
    s.side = side ^ 1
    s.ply += 1
    # A move. Each set that holds the unit flips both of its cells at once.
    if other == 0:
        both = 1 << source | 1 << target
        s.cells[source] = 0
        s.cells[target] = code
        s.army[side] ^= both
        if s.nimble >> source & 1:
            s.nimble ^= both
        if s.damaged >> source & 1:
            s.damaged ^= both
    elif source == target:
        hit(s, source, units.FULL_HEALTH)
        struck = AROUND[source] & (Int(s.army[0]) | Int(s.army[1]))
        i = 0
        while struck:
            cell = lowest(struck)
            struck &= struck - 1
            s.blasts[made, i] = s.cells[cell]
            hit(s, cell, units.BLAST)
            i += 1
    else:
        kind = code >> 4 & 7
        other_kind = other >> 4 & 7
        if other >> 7 == side:
            health = min((other & 15) + REPAIR[kind << 3 | other_kind], units.FULL_HEALTH)
            s.cells[target] = other & ~15 | health
            if health == units.FULL_HEALTH:
                s.damaged ^= 1 << target
        else:
            # Both strike with full force even if one dies: kinds were read before the first blow.
            hit(s, target, DAMAGE[kind << 3 | other_kind])
            hit(s, source, DAMAGE[other_kind << 3 | kind])


@compiled
def unmake(s: State) -> Nothing:
    """Take the last action back."""
    made = Int(s.made)
    s.made = made - 1
    s.army[0] = s.log[made, 0]
    s.army[1] = s.log[made, 1]
    s.nimble = s.log[made, 2]
    s.damaged = s.log[made, 3]
    s.e0 = s.log[made, 4]
    s.alive = s.log[made, 5]
    action = Int(s.log[made, 6])
    source = action & 31
    target = action >> 5 & 31
    s.cells[source] = action >> 10 & 255
    s.cells[target] = action >> 18 & 255
    if source == target:
        # The armies are restored by now, so the blast's victims come in the order in which they were noted.
        struck = AROUND[source] & (Int(s.army[0]) | Int(s.army[1]))
        i = 0
        while struck:
            s.cells[lowest(struck)] = s.blasts[made, i]
            struck &= struck - 1
            i += 1
    s.side = Int(s.side) ^ 1
    s.ply -= 1


@entry
def perft(s: State, depth: Int) -> Int:
    """Return the number of sequences of exactly `depth` actions; the last action is counted, not made."""
    if depth == 0:
        return 1
    if s.alive != BOTH_ALIVE or s.ply >= s.plies:
        return 0
    count = 0
    sources = Int(s.army[Int(s.side)])
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        reach = targets(s, source)
        if depth == 1:
            # The last action need not be made: one for each target, one for the self-destruction.
            count += size(reach) + 1
        else:
            # Ends after the self-destruction, which comes last: there target equals source.
            target = -1
            while target != source:
                target = source
                if reach:
                    target = lowest(reach)
                    reach &= reach - 1
                make(s, source, target)
                count += perft(s, depth - 1)
                unmake(s)
    return count


@entry
def alphabeta(s: State, depth: Int, alpha: Int, beta: Int) -> Int:
    """Return a position's value by e0 after `depth` turns, exact between alpha and beta; the attacker
    maximises.

    Every position searched, this one too, is counted in `nodes`. The actions are taken in their fixed order.
    """
    s.nodes += 1
    if depth == 0 or s.alive != BOTH_ALIVE or s.ply >= s.plies:
        return Int(s.e0)
    side = Int(s.side)
    sources = Int(s.army[side])
    best = -(1 << 30) if side == 0 else 1 << 30
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        reach = targets(s, source)
        target = -1
        while target != source:
            target = source
            if reach:
                target = lowest(reach)
                reach &= reach - 1
            make(s, source, target)
            if depth == 1:
                s.nodes += 1
                value = Int(s.e0)
            else:
                value = alphabeta(s, depth - 1, alpha, beta)
            unmake(s)
            if side == 0:
                best = max(best, value)
                alpha = max(alpha, value)
            else:
                best = min(best, value)
                beta = min(beta, value)
            if alpha >= beta:
                return best
    return best


@compiled
def pack(s: State, key: Bytes) -> Nothing:
    """Write a position's canonical bytes."""
    for cell in range(25):
        key[cell] = s.cells[cell]
    key[25] = s.side
    key[26] = s.limit_first
    for i in range(4):
        key[27 + i] = Int(s.ply) >> 8 * i & 255
        key[31 + i] = Int(s.plies) >> 8 * i & 255


@entry
def unpack(s: State, key: Bytes) -> Int:
    """Set a record to a position by its canonical bytes, its log empty; returns its outcome."""
    s.side = key[25]
    s.limit_first = key[26]
    ply = 0
    plies = 0
    for i in range(4):
        ply |= Int(key[27 + i]) << 8 * i
        plies |= Int(key[31 + i]) << 8 * i
    s.ply = ply
    s.plies = plies
    s.army[0] = s.army[1] = s.nimble = s.damaged = 0
    s.alive = s.e0 = s.made = s.nodes = 0
    for cell in range(25):
        code = Int(key[cell])
        s.cells[cell] = code
        if code:
            side = code >> 7
            kind = code >> 4 & 7
            s.army[side] |= 1 << cell
            s.e0 += WORTH[side, kind]
            if kind == units.AI:
                s.alive |= 1 << side
            elif kind in (units.VIRUS, units.TECH):
                s.nimble |= 1 << cell
            if code & 15 < units.FULL_HEALTH:
                s.damaged |= 1 << cell
    return outcome(s)


@entry
def turn(s: State, key: Bytes, source: Int, target: Int) -> Int:
    """Play an action on a position's canonical bytes, in place: its outcome, or minus the rule it breaks."""
    unpack(s, key)
    rule = illegal(s, source, target)
    if rule != LEGAL:
        return -rule
    make(s, source, target)
    pack(s, key)
    return outcome(s)
