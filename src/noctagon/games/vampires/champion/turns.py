"""The turns worth searching, compiled: combinations of the groups' options, the most promising first.

A joint turn has one option for each group, too many to list them all. A beam search finds good ones: the groups are
taken one after another, the largest first, and only the best combinations so far are kept. A combination's score is
the sum of its options' scores, so an option that fails to enter the beam bars all worse options of that group.
"""

import numpy as np

from noctagon.compiled.jit import Bool, Float, Floats, Int, Nothing, compiled
from noctagon.games.vampires.champion.options import (
    EATEN,
    KILLED,
    SURE_DEATH,
    find_rivals,
    helpers,
    list_options,
)
from noctagon.games.vampires.champion.records import ACTING, OPTIONS, Work
from noctagon.games.vampires.champion.value import find_strengths, is_harvest, race_goals
from noctagon.games.vampires.rules.kernel import Compact, CompactTurn, find_group, find_house, overflows

SPLIT_BELOW, HARVEST_SPLIT_BELOW = 4, 8
"""Number of groups from which no group splits: usually, and in a harvest."""
OPTION_BITS, OPTION_MASK = 5, 31
"""Bits for each group in the number that encodes a combination of options."""
BARRED = -0.5
"""Score per creature of a group that must stay because every option of its own is barred."""

GROUP_OPTIONS = (0, 9, 7, 5, 4, 3, 3, 3, 3)
"""Number of options of each group, by the number of groups that act."""


@compiled
def barred(s: Compact, w: Work, code: Int, group: Int, target: Int, count: Int) -> Bool:
    """Return whether the options of the groups before it forbid a group's move (rules 5 and 7)."""
    us = np.int64(s.mover)
    cell = s.group_cell[us, np.int64(w.order[group])]
    arriving = count
    for other in range(group):
        option = code >> OPTION_BITS * other & OPTION_MASK
        parts = np.int64(w.option_parts[other, option])
        if parts > 0 and s.group_cell[us, np.int64(w.order[other])] == target:
            return True
        for part in range(parts):
            where = w.option_moves[other, option, part, 1]
            if where == cell:
                return True
            if where == target:
                arriving += np.int64(w.option_moves[other, option, part, 0])
    return overflows(s, arriving)


@compiled
def extend(s: Compact, w: Work, side: Int, turn: Int, group: Int, option: Int, most: Int) -> Bool:
    """Add a combination with one more option to the other beam; return False if it scores too low to enter."""
    other = 1 - side
    score = w.beam_score[side, turn] + w.option_score[group, option]
    count = np.int64(w.beam_count[other])
    if count == most and w.beam_score[other, count - 1] >= score:
        return False
    code = w.beam_code[side, turn]
    for part in range(w.option_parts[group, option]):
        moving = np.int64(w.option_moves[group, option, part, 0])
        if barred(s, w, code, group, np.int64(w.option_moves[group, option, part, 1]), moving):
            return True
    if count == most:
        count -= 1
    i = count
    while i > 0 and w.beam_score[other, i - 1] < score:
        w.beam_score[other, i] = w.beam_score[other, i - 1]
        w.beam_code[other, i] = w.beam_code[other, i - 1]
        i -= 1
    w.beam_score[other, i] = score
    w.beam_code[other, i] = code | option << OPTION_BITS * group
    w.beam_count[other] = count + 1
    return True


@compiled
def write_turn(s: Compact, w: Work, code: Int, acting: Int, ply: Int, turn: Int) -> Int:
    """Write the moves of a combination of options at a place of a ply's list; return their number."""
    us = np.int64(s.mover)
    n = 0
    for group in range(acting):
        option = code >> OPTION_BITS * group & OPTION_MASK
        for part in range(w.option_parts[group, option]):
            w.turn_moves[ply, turn, n, 0] = s.group_cell[us, np.int64(w.order[group])]
            w.turn_moves[ply, turn, n, 1] = w.option_moves[group, option, part, 0]
            w.turn_moves[ply, turn, n, 2] = w.option_moves[group, option, part, 1]
            n += 1
    w.turn_n[ply, turn] = n
    return n


@compiled
def undue_credit(s: Compact, w: Work, ply: Int, turn: Int, policy: Floats) -> Float:
    """Return the credit for joint attacks that a turn does not make jointly.

    `landing` credits a group with its share of what it could take together with its neighbours.
    """
    taken_back = 0.0
    foe = 1 - s.mover
    n = np.int64(w.turn_n[ply, turn])
    for i in range(n):
        cell, count = np.int64(w.turn_moves[ply, turn, i, 2]), np.int64(w.turn_moves[ply, turn, i, 1])
        where = find_group(s, foe, cell)
        house = find_house(s, cell) if where < 0 else -1
        if where < 0 and house < 0:
            continue
        arriving = np.int64(0)
        for j in range(n):
            if w.turn_moves[ply, turn, j, 2] == cell:
                arriving += np.int64(w.turn_moves[ply, turn, j, 1])
        if where >= 0:
            enemy = np.int64(s.group_count[foe, where])
            if 2 * arriving < 3 * enemy and 2 * helpers(s, cell) >= 3 * enemy:
                taken_back += policy[KILLED] * enemy + SURE_DEATH * count
        elif arriving < s.house_count[house] <= helpers(s, cell):
            taken_back += policy[EATEN] * count
    return taken_back


@compiled
def swap(w: Work, ply: Int, i: Int) -> Nothing:
    """Exchange a listed turn with the one before it."""
    n = max(np.int64(w.turn_n[ply, i]), np.int64(w.turn_n[ply, i - 1]))
    for move in range(n):
        for k in range(3):
            kept = w.turn_moves[ply, i, move, k]
            w.turn_moves[ply, i, move, k] = w.turn_moves[ply, i - 1, move, k]
            w.turn_moves[ply, i - 1, move, k] = kept
    w.turn_n[ply, i], w.turn_n[ply, i - 1] = w.turn_n[ply, i - 1], w.turn_n[ply, i]
    w.turn_score[ply, i], w.turn_score[ply, i - 1] = w.turn_score[ply, i - 1], w.turn_score[ply, i]


@compiled
def sort_groups(s: Compact, w: Work) -> Nothing:
    """Sort the mover's groups by size, the largest first."""
    us = np.int64(s.mover)
    for i in range(s.groups[us]):
        j = i
        while j > 0 and s.group_count[us, np.int64(w.order[j - 1])] < s.group_count[us, i]:
            w.order[j] = w.order[j - 1]
            j -= 1
        w.order[j] = i


@compiled
def extend_all(s: Compact, w: Work, side: Int, group: Int, most: Int) -> Nothing:
    """Extend every combination of a beam by the options of one more group, into the other beam."""
    w.beam_count[1 - side] = 0
    stays = False
    for option in range(w.option_count[group]):
        if w.option_parts[group, option] == 0:
            stays = True
    if not stays:  # a group that is barred from all its options stays
        size = s.group_count[np.int64(s.mover), np.int64(w.order[group])]
        w.option_parts[group, OPTIONS - 1] = 0
        w.option_score[group, OPTIONS - 1] = BARRED * size
    for turn in range(w.beam_count[side]):
        for option in range(w.option_count[group]):
            if not extend(s, w, side, turn, group, option, most):
                break
        if not stays:
            extend(s, w, side, turn, group, OPTIONS - 1, most)


@compiled
def list_turns(s: Compact, w: Work, ply: Int, most: Int, policy: Floats) -> Int:
    """Write the turns worth searching at a ply, the most promising first; return their number."""
    find_rivals(s, w)
    find_strengths(s, w)
    race_goals(s, w)
    sort_groups(s, w)
    groups = Int(s.groups[np.int64(s.mover)])
    acting = min(groups, ACTING)
    beam = max(most, 2)  # one of them may be that nobody moves
    splits = groups < (HARVEST_SPLIT_BELOW if is_harvest(s) else SPLIT_BELOW)
    w.beam_count[0] = 1
    w.beam_code[0, 0] = 0
    w.beam_score[0, 0] = 0.0
    side = 0
    for group in range(acting):
        list_options(s, w, group, GROUP_OPTIONS[acting], splits, policy)
        extend_all(s, w, side, group, beam)
        side = 1 - side
    found = 0
    for turn in range(w.beam_count[side]):
        if write_turn(s, w, np.int64(w.beam_code[side, turn]), acting, ply, found) > 0:
            score = w.beam_score[side, turn]
            if groups > 1:
                score -= undue_credit(s, w, ply, found, policy)
            # Insertion sort: the corrected scores are nearly in order already.
            w.turn_score[ply, found] = score
            i = found
            while i > 0 and w.turn_score[ply, i - 1] < w.turn_score[ply, i]:
                swap(w, ply, i)
                i -= 1
            found += 1
    found = min(found, most)
    w.turn_count[ply] = found
    return found


@compiled
def load_turn(w: Work, t: CompactTurn, ply: Int, turn: Int) -> Nothing:
    """Write a listed turn into the rules kernel's record."""
    n = np.int64(w.turn_n[ply, turn])
    t.n = n
    for move in range(n):
        source, target = w.turn_moves[ply, turn, move, 0], w.turn_moves[ply, turn, move, 2]
        t.moves[move, 0], t.moves[move, 1] = source & 255, source >> 8
        t.moves[move, 2] = w.turn_moves[ply, turn, move, 1]
        t.moves[move, 3], t.moves[move, 4] = target & 255, target >> 8
