"""Retrograde analysis of the endings, compiled: all that is decided in 1 ply, in 2, in 3, and so on.

A call of `sweep_…` finds the positions decided in exactly n plies, given all that are decided sooner. For
three units most actions are moves, which leave the health of all unchanged: they are listed once for the 729
positions of a block. What leads out of the table (a unit destroyed, the game over) is known before the first
sweep: its best is in `exits`, the mover's gain as n (wins in n plies) or -n (loses in n).
"""

import numpy as np

from noctagon.compiled.intrinsics import lowest
from noctagon.compiled.jit import Bool, Bytes, Int, Longs, Nothing, compiled, entry
from noctagon.games.wargame.champion.endings_kernel import (
    ABOVE,
    DEFENDER_WINS,
    PAIR,
    PAIR_POSITIONS,
    TRIPLE_POSITIONS,
    place,
    triple_block,
)
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.kernel import (
    BOTH_ALIVE,
    DEFENDER_DOWN,
    State,
    make,
    outcome,
    targets,
    unmake,
)

BLOCKS = TRIPLE_POSITIONS // 729
FAR_OFF = 100
"""More than any number of plies to the end: the gain of a position about which nothing is known yet."""
NOWHERE = 31
"""Stands for the third unit's cell where there are only the two AIs."""


@compiled
def put(s: State, attacker: Int, defender: Int, third: Int, kind: Int, side: Int, health: Int) -> Nothing:
    """Set a record to a position: cells, `side << 3 | kind` of the third unit, mover; health as 3 digits of 9."""
    for cell in range(25):
        s.cells[cell] = 0
    s.army[0] = 1 << attacker
    s.army[1] = 1 << defender
    s.nimble = 0
    s.damaged = 0
    s.cells[attacker] = units.AI << 4 | health // 81 + 1
    s.cells[defender] = 128 | units.AI << 4 | health // 9 % 9 + 1
    if health // 81 < 8:
        s.damaged |= 1 << attacker
    if health // 9 % 9 < 8:
        s.damaged |= 1 << defender
    if third != NOWHERE:
        s.cells[third] = kind << 4 | health % 9 + 1
        s.army[kind >> 3] |= 1 << third
        if kind & 7 == units.VIRUS or kind & 7 == units.TECH:
            s.nimble |= 1 << third
        if health % 9 < 8:
            s.damaged |= 1 << third
    s.alive = BOTH_ALIVE
    s.side = side
    s.limit_first = 0
    s.ply = 0
    s.plies = 1 << 30
    s.e0 = 0
    s.made = 0


@compiled
def gain(found: Int, side: Int) -> Int:
    """Return the mover's gain from the table's byte for the position after its action; FAR_OFF: not known."""
    if found == 0:
        return FAR_OFF
    attacker_wins = found < DEFENDER_WINS
    plies = (found if attacker_wins else found - DEFENDER_WINS) + 1
    return plies if attacker_wins == (side == units.ATTACKER) else -plies


@compiled
def better(one: Int, other: Int) -> Int:
    """Return the better of two gains: to win soon, else not to know, else to lose late."""
    if one > 0 and other > 0:
        return min(one, other)
    # Losses are negative plies: the lesser number is the later loss.
    if one < 0 and other < 0:
        return min(one, other)
    return max(one, other)


@compiled
def ended(s: State, side: Int) -> Int:
    """Return the gain of the mover, `side`, whose action has ended the game."""
    return 1 if (outcome(s) == DEFENDER_DOWN) == (side == units.ATTACKER) else -1


@compiled
def byte(gained: Int, side: Int) -> Int:
    """Return a mover's gain as a table's byte."""
    attacker_wins = (gained > 0) == (side == units.ATTACKER)
    return abs(gained) if attacker_wins else DEFENDER_WINS + abs(gained)


@compiled
def unlike(found: Int, side: Int) -> Int:
    """Return the gain that `byte` turned into this byte."""
    attacker_wins = found < DEFENDER_WINS
    plies = found if attacker_wins else found - DEFENDER_WINS
    return plies if attacker_wins == (side == units.ATTACKER) else -plies


@entry
def sweep_pairs(s: State, tables: Bytes, offsets: Longs, n: Int) -> Int:
    """Decide the positions of two AIs that take n plies, and return their number."""
    start = offsets[PAIR]
    count = 0
    for i in range(PAIR_POSITIONS):
        # The index counts, from the lowest: both healths (81), the side to move (2), the cells (25 each, the
        # attacker's AI above the diagonal only, since mirror images are one position).
        attacker = ABOVE[i // 81 // 50]
        defender = i // 81 // 2 % 25
        if attacker == defender or tables[start + i]:
            continue
        side = i // 81 % 2
        put(s, attacker, defender, NOWHERE, 0, side, i % 81 * 9)
        source = lowest(Int(s.army[side]))
        reach = targets(s, source)
        # Blowing the AI up ends the game and is always legal, so every position has an action.
        make(s, source, source)
        best = ended(s, side)
        unmake(s)
        while reach:
            make(s, source, lowest(reach))
            reach &= reach - 1
            if s.alive == BOTH_ALIVE:
                best = better(best, gain(Int(tables[place(s, offsets)]), side))
            else:
                best = better(best, ended(s, side))
            unmake(s)
        # A value of n plies is final in sweep n: positions one ply nearer to the end are all decided. Larger
        # ones may still improve, so they wait for their sweep.
        if abs(best) == n:
            tables[start + i] = byte(best, side)
            count += 1
    return count


@entry
def find_exits(s: State, tables: Bytes, offsets: Longs, exits: Bytes, kind: Int) -> Int:
    """Fill `exits` with the best of the actions that destroy a unit, and return the longest of these gains."""
    longest = 0
    for block in range(BLOCKS):
        attacker = ABOVE[block // 1250]
        defender = block // 50 % 25
        third = block // 2 % 25
        if attacker in (defender, third) or defender == third:
            continue
        side = block % 2
        for health in range(729):
            put(s, attacker, defender, third, kind, side, health)
            # Never the gain of an action: nothing that destroys a unit has been found yet.
            best = -FAR_OFF
            sources = Int(s.army[side])
            while sources:
                source = lowest(sources)
                sources &= sources - 1
                # Only strikes and blasts can destroy a unit: moves are left out.
                reach = targets(s, source) & (Int(s.army[0]) | Int(s.army[1])) | 1 << source
                while reach:
                    make(s, source, lowest(reach))
                    reach &= reach - 1
                    if s.alive != BOTH_ALIVE:
                        best = better(best, ended(s, side)) if best != -FAR_OFF else ended(s, side)
                    # The third unit is gone: the table of two AIs, finished before, has the answer.
                    elif s.cells[third] == 0:
                        found = gain(Int(tables[place(s, offsets)]), side)
                        best = better(best, found) if best != -FAR_OFF else found
                    unmake(s)
            exits[block * 729 + health] = byte(best, side)
            longest = max(longest, abs(best))
    return longest


@compiled
def list_moves(s: State, moves: Longs) -> Int:
    """Write the blocks that the moves of a record lead to; returns their number."""
    taken = Int(s.army[0]) | Int(s.army[1])
    # The mover's moves do not depend on health, so one list serves the 729 healths of a block.
    attacker = defender = third = 0
    rest = taken
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        code = Int(s.cells[cell])
        if code >> 4 & 7 != units.AI:
            third = cell
        elif code >> 7:
            defender = cell
        else:
            attacker = cell
    side = Int(s.side)
    count = 0
    sources = Int(s.army[side])
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        reach = targets(s, source) & ~taken
        while reach:
            target = lowest(reach)
            reach &= reach - 1
            moves[count] = triple_block(
                target if source == attacker else attacker,
                target if source == defender else defender,
                target if source == third else third,
                side ^ 1,
            )
            count += 1
    return count


@compiled
def strikes(s: State) -> Bool:
    """Return True if the mover could attack or repair a unit, whatever the health of all."""
    taken = Int(s.army[0]) | Int(s.army[1])
    sources = Int(s.army[Int(s.side)])
    while sources:
        if targets(s, lowest(sources)) & taken:
            return True
        sources &= sources - 1
    return False


@compiled
def best_strike(s: State, tables: Bytes, offsets: Longs, best: Int) -> Int:
    """Return the best of a gain and of the attacks and repairs that destroy nothing."""
    side = Int(s.side)
    taken = Int(s.army[0]) | Int(s.army[1])
    sources = Int(s.army[side])
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        reach = targets(s, source) & taken
        while reach:
            make(s, source, lowest(reach))
            reach &= reach - 1
            if Int(s.army[0]) | Int(s.army[1]) == taken:
                best = better(best, gain(Int(tables[place(s, offsets)]), side))
            unmake(s)
    return best


@entry
def sweep_triples(
    s: State, tables: Bytes, offsets: Longs, exits: Bytes, changed: Longs, kind: Int, n: Int, fresh: Bool
) -> Int:
    """Decide the positions of three units that take n plies, and return their number.

    `changed` keeps for each block the last sweep that decided something in it. Once the exits are used up, that is
    if not `fresh`, only a block that leads to one changed in the last sweep, or already in this one, is looked at.
    """
    moves = np.zeros(12, np.int64)
    start = offsets[kind]
    total = 0
    for block in range(BLOCKS):
        attacker = ABOVE[block // 1250]
        defender = block // 50 % 25
        third = block // 2 % 25
        if attacker in (defender, third) or defender == third:
            continue
        side = block % 2
        put(s, attacker, defender, third, kind, side, 0)
        struck = strikes(s)
        count = list_moves(s, moves)
        # A position decided in n plies has a successor decided in n - 1. Attacks and repairs stay on the same
        # cells, that is in the block of the other mover; moves lead to the blocks listed.
        due = fresh or (struck and changed[block ^ 1] >= n - 1)
        for i in range(count):
            due = due or changed[moves[i]] >= n - 1
        if not due:
            continue
        for health in range(729):
            at = block * 729 + health
            if tables[start + at]:
                continue
            best = unlike(Int(exits[at]), side)
            for i in range(count):
                best = better(best, gain(Int(tables[start + moves[i] * 729 + health]), side))
            # Setting up the record is the expensive part: skipped where no unit is within reach of another.
            if struck:
                put(s, attacker, defender, third, kind, side, health)
                best = best_strike(s, tables, offsets, best)
            if abs(best) == n:
                tables[start + at] = byte(best, side)
                changed[block] = n
                total += 1
    return total
