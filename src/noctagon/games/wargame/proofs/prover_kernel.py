"""The prover, compiled: a forced win within a number of plies, or none.

`winner` is the side that has to destroy the enemy's AI; the other is the `loser`, who only has to last. The
question about a position has a yes or a no, "within r plies", so what is known of it are two numbers: the
least r it is won within, and the largest r it is not. A table keeps them for every position searched, mirror
images in the A0–E4 diagonal taken as one.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.compiled.intrinsics import lowest
from noctagon.compiled.jit import Bool, Int, Longs, Nothing, Record, compiled, entry
from noctagon.games.wargame.champion.ordering_kernel import attack_score
from noctagon.games.wargame.proofs.survival_kernel import Notes, lasts
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.kernel import BOTH_ALIVE, DEPTHS, MOST_ACTIONS, State, make, targets, unmake

MOST_PLIES = 60
"""Maximum number of plies; the table has 6 bits for them, with some to spare."""

_draw = np.random.default_rng(20231203)
HASH = _draw.integers(-(2**63), 2**63 - 1, 25 * 256, np.int64)
HASH[::256] = 0
HASH_SIDE = np.int64(_draw.integers(-(2**63), 2**63 - 1))
MIRROR = np.array([cell % 5 * 5 + cell // 5 for cell in range(25)], np.int64)
CHECK = -(1 << 22)
"""The bits of an entry that are the hash's; below them are the action (10), proven (6) and refuted (6)."""
LEAST_SPREAD = 1 << 22

LAYOUT = np.dtype(
    [
        ("nodes", np.int64),
        ("hits", np.int64),
        ("far", np.int64),
        ("kept", np.int64),
        ("winner", np.int64),
        ("bounded", np.uint8),
        ("stop", np.uint8),
        ("killers", np.int32, (DEPTHS + 1, 2)),
        ("history", np.int32, (2, 1024)),
        ("actions", np.int32, (DEPTHS + 1, MOST_ACTIONS)),
        ("scores", np.int32, (DEPTHS + 1, MOST_ACTIONS)),
    ],
    align=True,
)

if TYPE_CHECKING:
    Work = Any
else:
    Work = Record(LAYOUT)


@compiled
def board_hash(s: State, mirrored: Bool) -> Int:
    """Return the hash of a board, or of its mirror image."""
    found = np.int64(0)
    rest = Int(s.army[0]) | Int(s.army[1])
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        found ^= HASH[(MIRROR[cell] if mirrored else cell) << 8 | Int(s.cells[cell])]
    return found


@compiled
def arrange(s: State, w: Work, ply: Int, first: Int) -> Int:
    """Write the actions at a ply with a score each, larger for those to try sooner, and return their number."""
    side = Int(s.side)
    enemy = Int(s.army[side ^ 1])
    own = Int(s.army[side])
    count = 0
    sources = own
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        code = Int(s.cells[source])
        kind = code >> 4 & 7
        reach = targets(s, source)
        while reach:
            target = lowest(reach)
            reach &= reach - 1
            action = source << 5 | target
            score = Int(w.history[side, action])
            if action == first:
                score = 1 << 30
            elif enemy >> target & 1:
                score = attack_score(s, source, target)
            elif action == Int(w.killers[ply, 0]):
                score = 1 << 22
            elif action == Int(w.killers[ply, 1]):
                score = 1 << 21
            w.actions[ply, count] = action
            w.scores[ply, count] = score
            count += 1
        action = source * 33
        score = -(1 << 22) + Int(w.history[side, action])
        if action == first:
            score = 1 << 30
        elif kind == units.AI:
            score = -(1 << 30)
        w.actions[ply, count] = action
        w.scores[ply, count] = score
        count += 1
    return count


@compiled
def pick(w: Work, ply: Int, i: Int, count: Int) -> Int:
    """Bring the best of the actions from i on to place i."""
    best = i
    for j in range(i + 1, count):
        if w.scores[ply, j] > w.scores[ply, best]:
            best = j
    action, score = w.actions[ply, best], w.scores[ply, best]
    w.actions[ply, best], w.scores[ply, best] = w.actions[ply, i], w.scores[ply, i]
    w.actions[ply, i], w.scores[ply, i] = action, score
    return Int(action)


@compiled
def reward(w: Work, side: Int, ply: Int, action: Int, depth: Int) -> Nothing:
    """Remember an action that settled a position."""
    if w.killers[ply, 0] != action:
        w.killers[ply, 1] = w.killers[ply, 0]
        w.killers[ply, 0] = action
    w.history[side, action] += depth * depth
    if w.history[side, action] > 1 << 20:
        for i in range(1024):
            w.history[side, i] //= 2


@compiled
def mirror(action: Int) -> Int:
    return MIRROR[action >> 5] << 5 | MIRROR[action & 31]


@compiled
def change(before: Int, mirrored: Bool, source: Int, target: Int, code: Int, other: Int, s: State) -> Int:
    """Return the hash after an action on two cells, from what stood there before and what stands there now."""
    one = MIRROR[source] if mirrored else source
    two = MIRROR[target] if mirrored else target
    before ^= HASH[one << 8 | code] ^ HASH[two << 8 | other]
    return before ^ HASH[one << 8 | Int(s.cells[source])] ^ HASH[two << 8 | Int(s.cells[target])]


@compiled
def wins(
    s: State, w: Work, n: Notes, table: Longs, depth: Int, ply: Int, straight: Int, mirrored: Int
) -> Bool:
    """Return True if the winner destroys the enemy's AI within `depth` plies; meaningless once `stop` is set."""
    w.nodes += 1
    winner = Int(w.winner)
    if s.alive != BOTH_ALIVE:
        return s.alive == 1 if winner == units.ATTACKER else s.alive != 1
    if depth == 0 or w.stop:
        return False
    # Cheaper than any search, and most positions far from a win end here.
    if w.bounded and lasts(s, n, winner, depth):
        w.far += 1
        return False
    flipped = mirrored < straight
    key = min(straight, mirrored)
    side = Int(s.side)
    if side:
        key ^= HASH_SIDE
    place = key & (len(table) - 2)
    first = -1
    proven = 0
    refuted = 0
    slot = place
    entry = table[place]
    if entry & CHECK != key & CHECK:
        slot = place + 1
        entry = table[slot]
    if entry & CHECK == key & CHECK:
        proven = entry >> 6 & 63
        refuted = entry & 63
        # Not won within more plies, so not within fewer; and won within fewer, so within more.
        if refuted >= depth:
            w.hits += 1
            return False
        if proven and proven <= depth:
            w.hits += 1
            return True
        first = entry >> 12 & 1023
        if flipped:
            first = mirror(first)
        if first == 0:  # none: that A0 blows itself up is seldom the best
            first = -1
    else:
        one, two = table[place], table[place + 1]
        # Two positions want the place: the one whose search was shallower is lost.
        if max(one & 63, one >> 6 & 63) < max(two & 63, two >> 6 & 63):
            slot = place
    # The winner needs one action that wins, the loser one that does not: either ends the loop.
    hopeful = side == winner
    count = arrange(s, w, ply, first)
    won = not hopeful
    best = max(first, 0)
    for i in range(count):
        action = pick(w, ply, i, count)
        source = action >> 5
        target = action & 31
        code = Int(s.cells[source])
        other = Int(s.cells[target])
        make(s, source, target)
        # A blast changes up to nine cells: hashing the board again is simpler than following them.
        if source == target:
            found = wins(s, w, n, table, depth - 1, ply + 1, board_hash(s, False), board_hash(s, True))
        else:
            found = wins(
                s,
                w,
                n,
                table,
                depth - 1,
                ply + 1,
                change(straight, False, source, target, code, other, s),
                change(mirrored, True, source, target, code, other, s),
            )
        unmake(s)
        # An answer that was broken off says nothing: it must not reach the table.
        if w.stop:
            return False
        if found == hopeful:
            won = found
            best = action
            reward(w, side, ply, action, depth)
            break
    if won:
        proven = depth
    else:
        refuted = depth
    if flipped:
        best = mirror(best)
    if table[slot] == 0:
        w.kept += 1
    table[slot] = key & CHECK | best << 12 | proven << 6 | refuted
    return won


@entry
def spread(table: Longs, larger: Longs) -> Int:
    """Put the entries of a table of LEAST_SPREAD or more into a larger one that is empty, and return their
    number.

    Their places give the low bits of the hash that the entries lack.
    """
    count = 0
    for i in range(len(table)):
        if table[i]:
            place = (table[i] & CHECK | i & ~CHECK) & (len(larger) - 2)
            larger[place + (1 if larger[place] else 0)] = table[i]
            count += 1
    return count


@entry
def prove(s: State, w: Work, n: Notes, table: Longs, depth: Int) -> Bool:
    """Return True if the winner wins within `depth` plies."""
    return wins(s, w, n, table, depth, 0, board_hash(s, False), board_hash(s, True))
