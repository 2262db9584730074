"""The rules of Vampires vs Werewolves, compiled: legality, battles, the end of the game.

A position is one record. Cells are numbered `y * 256 + x`; species 0 are the Vampires, 1 the Werewolves.
Houses and groups are unsorted lists (`packing.py` has the canonical order): to drop one, the last takes its place,
and to find one, the list is searched; with the few groups of a real game that is faster than a table of all cells.

A turn to play is another record (records are passed by pointer; Numba counts references to arrays at every
call). Its moves are rows of x, y, count, target x, target y, as on the wire. Its dice are one number
per random battle, in the order in which the turn's targets first appear: n > 0, n attackers hold the
cell; n < 0, -n defenders remain; 0, nobody is left. The record also holds the generator that rolls them.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.compiled.jit import Bool, Float, Int, Nothing, Record, Rows, compiled, entry
from noctagon.games.vampires.rules.limits import CELL_LIMIT, LARGEST_SIDE

UNROLLED = -(2**31)
"""Mark of a die not rolled yet: `play` rolls it with the turn's generator."""

SERVER = 1
"""Number of the course's server's rule set (0: the handout's)."""

EMPTY_TURN, NOT_OWN, TOO_MANY, NOT_NEIGHBOUR, SOURCE_AND_TARGET, ZERO, OVERFLOW, OVER = range(1, 9)
"""Results of `check`: the number of the broken rule, plus 16 times the number of the offending move."""

GOES_ON, ELIMINATION, BOTH_GONE, MAJORITY, PLY_LIMIT = range(5)
DRAW = 2
"""Results of `ended`: a reason, plus 8 times the winner (a species, or DRAW)."""


def layout(houses: int, groups: int) -> np.dtype[Any]:
    """Return the fields of a position with room for that many houses, and groups a side."""
    return np.dtype(
        [
            ("rows", np.int32),
            ("columns", np.int32),
            ("mover", np.int32),
            ("ply", np.int32),
            ("plies", np.int32),
            ("server", np.int32),
            ("majority", np.int32),
            ("houses", np.int32),
            ("groups", np.int32, 2),
            ("people", np.int32, 2),
            ("house_cell", np.int32, houses),
            ("house_count", np.int32, houses),
            ("group_cell", np.int32, (2, groups)),
            ("group_count", np.int32, (2, groups)),
        ]
    )


def turn_layout(moves: int, battles: int) -> np.dtype[Any]:
    """Return the fields of a turn with room for that many moves and battles."""
    return np.dtype(
        [
            ("seed", np.uint64),
            ("n", np.int64),
            ("moves", np.int32, (moves, 5)),
            ("dice", np.int32, battles),
        ]
    )


COMPACT = layout(512, 128)
CELLS = LARGEST_SIDE * LARGEST_SIDE
STEPS = 2 * LARGEST_SIDE * (LARGEST_SIDE - 1) + 2 * (LARGEST_SIDE - 1) ** 2
"""Number of pairs of neighbouring cells on the largest grid."""
FULL = layout(CELLS, CELLS)
COMPACT_TURN = turn_layout(128, 128)
FULL_TURN = turn_layout(STEPS, CELLS)  # no two cells exchange creatures: rule 5

if TYPE_CHECKING:
    State = Any
    Turn = Any
    Compact = Any
    CompactTurn = Any
else:
    State = Record(COMPACT, FULL)
    Turn = Record(COMPACT_TURN, FULL_TURN)
    Compact = Record(COMPACT)
    CompactTurn = Record(COMPACT_TURN)


@compiled
def next_random(t: Turn) -> Float:
    """Return a random number in [0, 1), by splitmix64."""
    # `np.add` and `np.multiply`: run uncompiled, `+` and `*` would warn of the intended overflow.
    z = np.add(t.seed, np.uint64(0x9E3779B97F4A7C15))
    t.seed = z
    z = np.multiply(z ^ (z >> np.uint64(30)), np.uint64(0xBF58476D1CE4E5B9))
    z = np.multiply(z ^ (z >> np.uint64(27)), np.uint64(0x94D049BB133111EB))
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@entry
def odds(attackers: Int, defenders: Int) -> Float:
    """Return the probability P that the attackers win a random battle."""
    if attackers == defenders:
        return 0.5
    if attackers < defenders:
        return attackers / (2.0 * defenders)
    return attackers / defenders - 0.5


@compiled
def survivors(t: Turn, count: Int, p: Float) -> Int:
    """Draw how many of `count` survive, each with probability p."""
    alive = 0
    for _ in range(count):
        if next_random(t) < p:
            alive += 1
    return alive


@entry
def fight(t: Turn, attackers: Int, defenders: Int, humans: Int) -> Int:
    """Roll one random battle; `humans` is 1 where the defenders are humans."""
    p = odds(attackers, defenders)
    if next_random(t) < p:
        return survivors(t, attackers + humans * defenders, p)
    return -survivors(t, defenders, 1.0 - p)


@compiled
def find_group(s: State, species: Int, cell: Int) -> Int:
    """Return the number of a species' group on a cell, or -1."""
    for i in range(s.groups[species]):
        if s.group_cell[species, i] == cell:
            return i
    return -1


@compiled
def find_house(s: State, cell: Int) -> Int:
    """Return the number of the house on a cell, or -1."""
    for i in range(s.houses):
        if s.house_cell[i] == cell:
            return i
    return -1


@compiled
def drop_group(s: State, species: Int, i: Int) -> Nothing:
    """Remove a group from the list; the last one takes its place."""
    last = s.groups[species] - 1
    s.group_cell[species, i] = s.group_cell[species, last]
    s.group_count[species, i] = s.group_count[species, last]
    s.groups[species] = last


@compiled
def drop_house(s: State, i: Int) -> Nothing:
    """Remove a house from the list; the last one takes its place."""
    last = s.houses - 1
    s.house_cell[i] = s.house_cell[last]
    s.house_count[i] = s.house_count[last]
    s.houses = last


@compiled
def settle(s: State, species: Int, cell: Int, count: Int) -> Nothing:
    """Put creatures on a cell where the species has no group yet; under the server's rules the count wraps."""
    if s.server == SERVER:
        count = count & CELL_LIMIT
    if count > 0:
        i = s.groups[species]
        s.group_cell[species, i] = cell
        s.group_count[species, i] = count
        s.groups[species] = i + 1
        s.people[species] += count


@compiled
def is_random(s: State, attackers: Int, defenders: Int, humans: Int) -> Int:
    """Return 1 if attackers and defenders fight a random battle, 0 if the result is certain."""
    if humans == 1:
        return 1 if attackers < defenders else 0
    if 2 * attackers >= 3 * defenders:
        return 0
    if s.server != SERVER and 2 * defenders >= 3 * attackers:
        return 0  # by the handout, the attackers surely die
    return 1


@compiled
def leader(s: State) -> Int:
    """Return the species with the larger population, or DRAW."""
    if s.people[0] == s.people[1]:
        return DRAW
    return 0 if s.people[0] > s.people[1] else 1


@compiled
def ended(s: State) -> Int:
    """Return GOES_ON, or why the game is over and who won."""
    if s.people[0] == 0 and s.people[1] == 0:
        return BOTH_GONE + 8 * 1  # as the course's server has it: the Werewolves win
    if s.people[1] == 0:
        return ELIMINATION
    if s.people[0] == 0:
        return ELIMINATION + 8 * 1
    if s.majority != 0:
        for species in range(2):
            if 2 * s.groups[species] > s.rows * s.columns:
                return MAJORITY + 8 * species
    if s.ply >= s.plies:
        return PLY_LIMIT + 8 * leader(s)
    return GOES_ON


@compiled
def overflows(s: State, arriving: Int) -> Bool:
    """Return whether more creatures arrive on a cell than the rules allow (rule 7)."""
    return s.server == SERVER and arriving > CELL_LIMIT


@compiled
def check(s: State, moves: Rows, n: Int) -> Int:
    """Return 0 if the turn is legal, otherwise the rule that is broken and the move that breaks it."""
    if ended(s) != GOES_ON:
        return OVER
    if n == 0:
        return EMPTY_TURN
    for i in range(n):
        x, y, count, tx, ty = moves[i, 0], moves[i, 1], moves[i, 2], moves[i, 3], moves[i, 4]
        group = -1
        if 0 <= x < s.columns and 0 <= y < s.rows:
            group = find_group(s, s.mover, y * 256 + x)
        if group < 0:
            return NOT_OWN + 16 * i
        if count < 1:
            return ZERO + 16 * i
        if tx < 0 or tx >= s.columns or ty < 0 or ty >= s.rows or abs(tx - x) > 1 or abs(ty - y) > 1:
            return NOT_NEIGHBOUR + 16 * i
        # Quadratic in the number of moves, which are few: a turn is legal only with at most 8 for each group.
        leaving = np.int64(0)
        arriving = np.int64(0)
        for j in range(n):
            if moves[j, 0] == tx and moves[j, 1] == ty:
                return SOURCE_AND_TARGET + 16 * i
            if j <= i:
                if moves[j, 0] == x and moves[j, 1] == y:
                    leaving += moves[j, 2]
                if moves[j, 3] == tx and moves[j, 4] == ty:
                    arriving += moves[j, 2]
        if leaving > s.group_count[s.mover, group]:
            return TOO_MANY + 16 * i
        if overflows(s, arriving):
            return OVERFLOW + 16 * i
    return 0


@compiled
def arrivals(t: Turn, i: Int) -> Int:
    """Return how many arrive on the target of move i in the whole turn; 0 if an earlier move has that target."""
    tx, ty = t.moves[i, 3], t.moves[i, 4]
    for j in range(i):
        if t.moves[j, 3] == tx and t.moves[j, 4] == ty:
            return 0
    total = np.int64(t.moves[i, 2])
    for j in range(i + 1, t.n):
        if t.moves[j, 3] == tx and t.moves[j, 4] == ty:
            total += t.moves[j, 2]
    return total


@compiled
def battles(s: State, t: Turn, found: Rows) -> Int:
    """List the random battles of a legal turn as rows x, y, attackers, defenders, 1 for humans; return their number."""
    fights = 0
    for i in range(t.n):
        attackers = arrivals(t, i)
        if attackers == 0:
            continue
        cell = t.moves[i, 4] * 256 + t.moves[i, 3]
        humans = 0
        defenders = np.int64(0)
        where = find_group(s, 1 - s.mover, cell)
        if where >= 0:
            defenders = np.int64(s.group_count[1 - s.mover, where])
        else:
            where = find_house(s, cell)
            if where >= 0:
                humans = 1
                defenders = np.int64(s.house_count[where])
        if where >= 0 and is_random(s, attackers, defenders, humans) == 1:
            found[fights, 0] = t.moves[i, 3]
            found[fights, 1] = t.moves[i, 4]
            found[fights, 2] = attackers
            found[fights, 3] = defenders
            found[fights, 4] = humans
            fights += 1
    return fights


@compiled
def clash(s: State, t: Turn, cell: Int, attackers: Int, i: Int, humans: Int, fights: Int) -> Int:
    """Let arrivals meet enemies (group i) or humans (house i); return the number of random battles so far."""
    foe = 1 - s.mover
    defenders = np.int64(s.house_count[i] if humans == 1 else s.group_count[foe, i])
    if is_random(s, attackers, defenders, humans) == 1:
        if t.dice[fights] == UNROLLED:
            t.dice[fights] = fight(t, attackers, defenders, humans)
        left = np.int64(t.dice[fights])
        fights += 1
    elif humans == 1:
        left = attackers + defenders
    elif 2 * attackers >= 3 * defenders:
        left = attackers
    else:
        left = -defenders

    if humans == 1:
        if left < 0:
            s.house_count[i] = -left
        else:
            drop_house(s, i)
    else:
        s.people[foe] -= defenders
        if left < 0:
            s.group_count[foe, i] = -left
            s.people[foe] -= left
        else:
            drop_group(s, foe, i)
    if left > 0:
        settle(s, s.mover, cell, left)
    return fights


@compiled
def join(s: State, i: Int, count: Int) -> Nothing:
    """Let arrivals join the mover's group i."""
    mover = s.mover
    cell, total = np.int64(s.group_cell[mover, i]), count + s.group_count[mover, i]
    s.people[mover] -= s.group_count[mover, i]
    drop_group(s, mover, i)
    settle(s, mover, cell, total)


@compiled
def leave(s: State, cell: Int, count: Int) -> Nothing:
    """Take creatures of the mover off a cell."""
    mover = s.mover
    i = find_group(s, mover, cell)
    s.people[mover] -= count
    if s.group_count[mover, i] == count:
        drop_group(s, mover, i)
    else:
        s.group_count[mover, i] -= count


@compiled
def play(s: State, t: Turn) -> Int:
    """Play a legal turn in place; return the number of dice used."""
    # First all creatures leave their sources; then every target is met once by all who arrive on it.
    for i in range(t.n):
        leave(s, t.moves[i, 1] * 256 + t.moves[i, 0], np.int64(t.moves[i, 2]))
    fights = 0
    for i in range(t.n):
        attackers = arrivals(t, i) if t.n > 1 else np.int64(t.moves[i, 2])
        if attackers == 0:
            continue
        cell = t.moves[i, 4] * 256 + t.moves[i, 3]
        where = find_group(s, s.mover, cell)
        if where >= 0:
            join(s, where, attackers)
            continue
        humans = 0
        where = find_group(s, 1 - s.mover, cell)
        if where < 0:
            humans = 1
            where = find_house(s, cell)
        if where >= 0:
            fights = clash(s, t, cell, attackers, where, humans, fights)
        else:
            settle(s, s.mover, cell, attackers)
    s.mover = 1 - s.mover
    s.ply += 1
    return fights
