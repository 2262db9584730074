"""Random play, compiled: whole groups that stay or step anywhere, to the end of the game."""

import numpy as np

from noctagon.compiled.jit import Bool, Int, Ints, Longs, Nothing, compiled, entry
from noctagon.games.vampires.rules.kernel import (
    GOES_ON,
    UNROLLED,
    Compact,
    CompactTurn,
    ended,
    next_random,
    overflows,
    play,
)
from noctagon.games.vampires.rules.packing import unpack


@compiled
def neighbour(s: Compact, cell: Int, direction: Int) -> Int:
    """Return the cell in a direction (0 to 8, row by row; 4 is none), or -1 if there is no such cell."""
    down = direction // 3 - 1
    x, y = (cell & 255) + direction - 3 * down - 4, (cell >> 8) + down
    if direction == 4 or x < 0 or x >= s.columns or y < 0 or y >= s.rows:
        return -1
    return y * 256 + x


@compiled
def barred(s: Compact, t: CompactTurn, cell: Int, target: Int, count: Int) -> Bool:
    """Return whether the turn so far forbids one more move (rules 5 and 7)."""
    arriving = count
    for i in range(t.n):
        source = t.moves[i, 1] * 256 + t.moves[i, 0]
        goal = t.moves[i, 4] * 256 + t.moves[i, 3]
        if source == target or goal == cell:
            return True
        if goal == target:
            arriving += t.moves[i, 2]
    return overflows(s, arriving)


@compiled
def add_move(t: CompactTurn, cell: Int, target: Int, count: Int) -> Nothing:
    """Add a move to the turn, with a die not rolled yet."""
    n = t.n
    t.moves[n, 0], t.moves[n, 1], t.moves[n, 2] = cell & 255, cell >> 8, count
    t.moves[n, 3], t.moves[n, 4] = target & 255, target >> 8
    t.dice[n] = UNROLLED
    t.n = n + 1


@compiled
def any_move(s: Compact, t: CompactTurn) -> Nothing:
    """Begin the turn with a random group that steps in a random direction."""
    i = np.int64(next_random(t) * s.groups[s.mover])
    direction = np.int64(next_random(t) * 9.0)
    cell = np.int64(s.group_cell[s.mover, i])
    target = neighbour(s, cell, direction)
    while target < 0:
        direction = (direction + 1) % 9
        target = neighbour(s, cell, direction)
    add_move(t, cell, target, np.int64(s.group_count[s.mover, i]))


@compiled
def random_turn(s: Compact, t: CompactTurn) -> Nothing:
    """Build a random legal turn: each group stays or steps anywhere, whole."""
    t.n = 0
    for i in range(s.groups[s.mover]):
        cell, count = np.int64(s.group_cell[s.mover, i]), np.int64(s.group_count[s.mover, i])
        target = neighbour(s, cell, np.int64(next_random(t) * 9.0))
        if target >= 0 and (t.n == 0 or not barred(s, t, cell, target, count)):
            add_move(t, cell, target, count)
    if t.n == 0:
        any_move(s, t)


@compiled
def playout(s: Compact, t: CompactTurn, packed: Ints) -> Int:
    """Play random turns from a position to the end of the game; return their number."""
    unpack(s, packed)
    turns = 0
    while ended(s) == GOES_ON:
        random_turn(s, t)
        play(s, t)
        turns += 1
    return turns


@entry
def playouts(s: Compact, t: CompactTurn, packed: Ints, count: Int, people: Longs) -> Int:
    """Play `count` play-outs and return the number of turns; add each species' final population to `people`."""
    turns = 0
    for _ in range(count):
        turns += playout(s, t, packed)
        people[0] += s.people[0]
        people[1] += s.people[1]
    return turns
