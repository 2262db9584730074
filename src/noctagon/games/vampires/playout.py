"""Random play, compiled: whole groups that stay or step anywhere, to the end of the game."""

import numpy as np

from noctagon.games.vampires.kernel import GOES_ON, SERVER, UNROLLED, Compact, ended, next_random, play
from noctagon.games.vampires.packing import unpack
from noctagon.jit import Int, Ints, Longs, Seed, Table, compiled


@compiled
def add_step(s: Compact, moves: Table, n: Int, i: Int, direction: Int) -> Int:
    """Add the step of the mover's group i in a direction (4: stay) if the turn stays legal; its length."""
    mover = s.mover
    x, y = s.group_cell[mover, i] & 255, s.group_cell[mover, i] >> 8
    tx, ty = x + direction % 3 - 1, y + direction // 3 - 1
    if direction == 4 or tx < 0 or tx >= s.columns or ty < 0 or ty >= s.rows:
        return n
    arriving = np.int64(s.group_count[mover, i])
    for j in range(n):
        if (moves[j, 0] == tx and moves[j, 1] == ty) or (moves[j, 3] == x and moves[j, 4] == y):
            return n
        if moves[j, 3] == tx and moves[j, 4] == ty:
            arriving += moves[j, 2]
    if s.server == SERVER and arriving > 255:
        return n
    moves[n, 0] = x
    moves[n, 1] = y
    moves[n, 2] = s.group_count[mover, i]
    moves[n, 3] = tx
    moves[n, 4] = ty
    return n + 1


@compiled
def random_turn(s: Compact, moves: Table, seed: Seed) -> Int:
    """A random legal turn of whole groups, each staying or stepping anywhere; how many moves it has."""
    mover = s.mover
    n = 0
    for i in range(s.groups[mover]):
        n = add_step(s, moves, n, i, np.int64(next_random(seed) * 9.0))
    if n == 0:
        i = np.int64(next_random(seed) * s.groups[mover])
        direction = np.int64(next_random(seed) * 9.0)
        while n == 0:
            n = add_step(s, moves, n, i, direction)
            direction = (direction + 1) % 9
    return n


@compiled
def playout(s: Compact, packed: Ints, moves: Table, dice: Ints, seed: Seed) -> Int:
    """Play random turns from a position to the end of the game; how many."""
    unpack(s, packed)
    turns = 0
    while ended(s) == GOES_ON:
        n = random_turn(s, moves, seed)
        for i in range(n):
            dice[i] = UNROLLED
        play(s, moves, n, dice, seed)
        turns += 1
    return turns


@compiled
def playouts(
    s: Compact, packed: Ints, count: Int, moves: Table, dice: Ints, seed: Seed, people: Longs
) -> Int:
    """That many play-outs; how many turns in all. `people` gains what each species had left at the end."""
    turns = 0
    for _ in range(count):
        turns += playout(s, packed, moves, dice, seed)
        people[0] += s.people[0]
        people[1] += s.people[1]
    return turns
