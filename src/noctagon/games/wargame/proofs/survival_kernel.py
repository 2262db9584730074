"""A lower bound of how long an AI lasts, compiled: a sound and cheap reason to cut a proof short.

The prover asks if the `winner` can destroy the other side's AI within a number of plies. It cannot if the other,
the `loser`, has a way to play on which

- its AI stays where it is and the winner cannot deal it enough damage (`most_damage`), and
- it never has to harm its own AI, because some other unit always has something to do (`keeps_busy`): nobody may
  pass in this game, and a side whose other units are gone must move its AI or blow it up.

In the way to play considered here one unit is used until it is destroyed or has no way left, then the next:

- a Virus or Tech goes to and fro between its cell and a neighbouring one that is not its own side's, or attacks
  the unit on the other of the two;
- a Firewall or Program goes ahead, or attacks if it is engaged, along a path of cells that are neither its own
  side's nor on the path of one used before it.

The others stand still, so those beside the AI shield it if they are not used: an enemy has to destroy one, and
that takes plies, before it can strike from there. `lasts` tries both: with and without the shield in use.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.compiled.intrinsics import lowest
from noctagon.compiled.jit import Bool, Int, Nothing, Record, compiled
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.kernel import State
from noctagon.games.wargame.rules.tables import AROUND, BESIDE

FAR = 99
BOARD = (1 << 25) - 1
NOT_RIGHT = BOARD & ~sum(1 << cell for cell in range(4, 25, 5))
NOT_LEFT = BOARD & ~sum(1 << cell for cell in range(0, 25, 5))


def _steps(mobility: int, source: int, target: int) -> int:
    """Return the moves a unit needs from cell to cell: nimble 0, else attacker's 1, defender's 2; FAR if it cannot."""
    down, right = target // 5 - source // 5, target % 5 - source % 5
    if (mobility == 1 and max(down, right) > 0) or (mobility == 2 and min(down, right) < 0):
        return FAR
    return abs(down) + abs(right)


STEPS = np.array(
    [[[_steps(way, source, target) for target in range(25)] for source in range(25)] for way in range(3)],
    np.int64,
)
"""The moves from cell to cell on an empty board, by mobility."""
TO_ATTACK = np.array(
    [
        [
            [min(row[cell] for cell in range(25) if BESIDE[goal] >> cell & 1) for goal in range(25)]
            for row in way
        ]
        for way in STEPS
    ],
    np.int64,
)
"""The moves until a unit stands beside a cell."""
TO_BLAST = np.array(
    [
        [
            [min(row[cell] for cell in range(25) if AROUND[goal] >> cell & 1) for goal in range(25)]
            for row in way
        ]
        for way in STEPS
    ],
    np.int64,
)
"""The moves until a unit's self-destruction strikes a cell."""
HARDEST = np.array(
    [
        [
            max([units.DAMAGE[other][kind] for other in range(5) if kinds >> other & 1], default=1)
            for kinds in range(32)
        ]
        for kind in range(5)
    ],
    np.int64,
)
"""The most damage an attack does to a kind, by the set of kinds (bits) that may attack."""

LAYOUT = np.dtype(
    [
        ("health", np.int64, 25),
        ("hardest", np.int64, 25),
        ("supply", np.int64, 25),
        ("shield", np.int64, 25),
        ("cells", np.int64, 25),
        ("first", np.int64, 25),
        ("blasts", np.int64, 25),
        ("safe", np.int64, 25),
        ("count", np.int64),
    ],
    align=True,
)

if TYPE_CHECKING:
    Notes = Any
else:
    Notes = Record(LAYOUT)


@compiled
def kinds_of(s: State, side: Int) -> Int:
    """Return the kinds of units a side has, as bits."""
    found = 0
    rest = Int(s.army[side])
    while rest:
        found |= 1 << (Int(s.cells[lowest(rest)]) >> 4 & 7)
        rest &= rest - 1
    return found


@compiled
def most_damage(s: State, winner: Int, goal: Int, plies: Int) -> Int:
    """Return an upper bound of the damage in `plies` plies of the winner to an AI that stays on `goal`; FAR
    if it is destroyed.

    A Virus destroys it, the AI and Programs deal 3 a ply once one of them is there, all else (a blast deals
    2) less. No unit is taken to be in the way.
    """
    strike = FAR
    blast = FAR
    rest = Int(s.army[winner])
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        kind = Int(s.cells[cell]) >> 4 & 7
        way = 0 if Int(s.nimble) >> cell & 1 else 1 + winner
        if kind == units.VIRUS:
            # A Virus needs one ply more than its way, to strike: 9 damage destroy any AI.
            if TO_ATTACK[0, cell, goal] < plies:
                return FAR
        elif kind == units.AI or kind == units.PROGRAM:
            strike = min(strike, TO_ATTACK[way, cell, goal])
        blast = min(blast, TO_BLAST[way, cell, goal])
    # Every ply after the first arrival deals 3 at most, whichever unit is moved.
    return max(3 * (plies - strike), 2 * (plies - blast), 0)


@compiled
def most_damage_past(s: State, n: Notes, winner: Int, goal: Int, shield: Int, plies: Int) -> Int:
    """Return the same bound where the loser's units of the set `shield`, all beside the goal, stay until they
    are destroyed.

    That takes plies as well, though a blast may strike the AI too meanwhile.
    """
    kinds = kinds_of(s, winner)
    slowest = 0
    rest = Int(AROUND[goal])
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        n.shield[cell] = 0
        if shield >> cell & 1:
            code = Int(s.cells[cell])
            hardest = max(HARDEST[code >> 4 & 7, kinds], units.BLAST)
            # Plies to strike this unit down, with the winner's hardest attack in each.
            n.shield[cell] = ((code & 15) + hardest - 1) // hardest
            slowest = max(slowest, Int(n.shield[cell]))
    strike = FAR
    blast = FAR
    rest = Int(s.army[winner])
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        kind = Int(s.cells[cell]) >> 4 & 7
        way = 0 if Int(s.nimble) >> cell & 1 else 1 + winner
        near = Int(AROUND[goal])
        while near:
            spot = lowest(near)
            near &= near - 1
            taken = STEPS[way, cell, spot] + Int(n.shield[spot])
            blast = min(blast, taken)
            if BESIDE[goal] >> spot & 1:
                if kind == units.VIRUS:
                    if taken < plies:
                        return FAR
                elif kind == units.AI or kind == units.PROGRAM:
                    strike = min(strike, taken)
    found = max(2 * (plies - blast), 0)
    if strike < plies:
        # While the shield is struck down by blasts, each of them may reach the AI, too.
        found = max(found, 3 * (plies - strike) + units.BLAST * slowest)
    return found


@compiled
def find_work(s: State, n: Notes, winner: Int, unused: Int, plies: Int, farthest: Int) -> Nothing:
    """Note the loser's units that have something to do, its AI and the `unused` apart, and the cells they use.

    A unit's `supply` is how many plies it has, FAR if it has all of `plies`; a path ends after `farthest` moves.
    """
    loser = winner ^ 1
    own = Int(s.army[loser])
    enemy = Int(s.army[winner])
    kinds = kinds_of(s, winner)
    n.count = 0
    taken = own
    rest = own & ~unused
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        code = Int(s.cells[cell])
        kind = code >> 4 & 7
        if kind == units.AI:
            continue
        supply = 0
        used = 1 << cell
        if Int(s.nimble) >> cell & 1:
            free = Int(BESIDE[cell]) & ~own
            # A free cell to go to and fro is safer than an attack, which costs health each time.
            if free & ~enemy:
                free &= ~enemy
            if free:
                supply = FAR
                # The lowest cell of the set: one is enough to go to and fro.
                used |= free & -free
        else:
            here = used
            while supply < farthest:
                if loser == units.DEFENDER:
                    across = (here & NOT_RIGHT) << 1 & ~taken
                    along = here << 5 & BOARD & ~taken
                else:
                    across = (here & NOT_LEFT) >> 1 & ~taken
                    along = here >> 5 & ~taken
                if across | along == 0:
                    break
                here = along if along and (cell // 5 > cell % 5 or not across) else across
                used |= here
                supply += 1
            taken |= used
            # The path outlasts the proof: as good as one without end.
            if supply == plies:
                supply = FAR
        if supply:
            i = Int(n.count)
            n.cells[i] = used
            n.supply[i] = supply
            n.health[i] = code & 15
            n.hardest[i] = HARDEST[kind, kinds]
            n.count = i + 1


@compiled
def find_enemies(s: State, n: Notes, winner: Int, i: Int, blows: Int, busy: Int) -> Nothing:
    """Note what the winner can do in `blows` plies to the unit i, which is in use for `busy` plies at most.

    That is the moves before it is struck `first`, how many `blasts` reach it, and whether it outlives everything
    (`safe`). Each blast costs another unit, never the AI, with all its moves to get near.
    """
    enemy = Int(s.army[winner])
    king = enemy
    while Int(s.cells[lowest(king)]) >> 4 & 7 != units.AI:
        king &= king - 1
    # The enemy's AI would lose the game by its own blast.
    blasters = enemy & ~(king & -king)
    cells = Int(n.cells[i])
    zone = cells | cells << 5 | cells >> 5
    # The cells from which a blast reaches the unit, on any of the cells it uses.
    zone |= (zone & NOT_RIGHT) << 1 | (zone & NOT_LEFT) >> 1
    moves = 0
    while zone & enemy == 0:
        moves += 1
        zone |= zone << 5 | zone >> 5 | (zone & NOT_RIGHT) << 1 | (zone & NOT_LEFT) >> 1
    n.first[i] = moves
    hardest = Int(n.hardest[i])
    left = Int(n.health[i])
    suffered = max(busy - moves, 0)
    safe = left > hardest * (max(blows - moves, 0) + suffered)
    spent = 0
    blasts = 0
    while spent + moves < blows and blasters:
        if zone & blasters:
            come = zone & blasters
            # Each unit blows itself up once, the nearest first: that allows the most blasts.
            blasters &= ~zone
            while come and spent + moves < blows:
                come &= come - 1
                spent += moves + 1
                blasts += 1
                left -= units.BLAST
                safe = safe and left > hardest * (blows - spent + suffered)
        moves += 1
        zone |= zone << 5 | zone >> 5 | (zone & NOT_RIGHT) << 1 | (zone & NOT_LEFT) >> 1
    n.blasts[i] = blasts
    n.safe[i] = 1 if safe else 0


@compiled
def keeps_busy(
    s: State, n: Notes, winner: Int, unused: Int, plies: Int, blows: Int, first: Int, farthest: Int
) -> Bool:
    """Return True if the loser's units, without its AI and the `unused`, have something to do in `plies`
    plies of its own.

    `blows` is the number of plies the winner has before the last of these, `first` 1 if the winner has the
    first. In each of its plies the winner takes from one unit at most the damage of its hardest attack, or by
    a blast 2 from all it reaches; and the unit in use may suffer from an attack of its own. However many the
    blasts, there must be a unit left that is neither destroyed nor out of work: either those that outlive
    everything have work enough, or all together outlast the attacks (if none can run out of work), or the
    attacks and plies.
    """
    find_work(s, n, winner, unused, plies, farthest)
    soonest = FAR
    most = 0
    solid = 0
    for i in range(n.count):
        find_enemies(s, n, winner, i, blows, plies - 1 + first)
        soonest = min(soonest, Int(n.first[i]))
        most = max(most, Int(n.blasts[i]))
        if n.safe[i]:
            solid += Int(n.supply[i])
    if solid >= plies:
        return True
    suffered = max(plies - 1 + first - soonest, 0)
    # The winner chooses how many plies go into blasts, so the bound must hold for every number of them.
    for blasts in range(most + 1):
        struck = max(blows - blasts - soonest, 0)
        steady = 0
        all_strikes = 0
        for i in range(n.count):
            left = Int(n.health[i]) - units.BLAST * min(blasts, Int(n.blasts[i]))
            if left > 0:
                hardest = Int(n.hardest[i])
                hits = FAR if n.safe[i] else (left + hardest - 1) // hardest
                supply = Int(n.supply[i])
                if supply == FAR:
                    steady += hits
                all_strikes += min(hits, supply)
        # Enough blows to destroy or exhaust all: the loser might have to touch its AI.
        if steady <= struck + suffered and all_strikes <= struck + plies - 1:
            return False
    return n.count > 0


@compiled
def waits(s: State, n: Notes, winner: Int, unused: Int, plies: Int, blows: Int, first: Int) -> Bool:
    """Return `keeps_busy` with long paths or with short ones, which stay farther from the enemy."""
    if plies == 0 or keeps_busy(s, n, winner, unused, plies, blows, first, plies):
        return True
    return plies > 2 and keeps_busy(s, n, winner, unused, plies, blows, first, 2)


@compiled
def lasts(s: State, n: Notes, winner: Int, depth: Int) -> Bool:
    """Return True if the AI of the side that is not `winner` surely outlasts the next `depth` plies."""
    loser = winner ^ 1
    first = 1 if Int(s.side) == winner else 0
    blows = (depth + first) // 2
    plies = depth - blows
    before = blows if depth % 2 == 1 - first else blows - 1  # those before the loser's last ply
    rest = Int(s.army[loser])
    while Int(s.cells[lowest(rest)]) >> 4 & 7 != units.AI:
        rest &= rest - 1
    goal = lowest(rest)
    health = Int(s.cells[goal]) & 15
    if most_damage(s, winner, goal, blows) < health and waits(s, n, winner, 0, plies, before, first):
        return True
    shield = Int(BESIDE[goal]) & Int(s.army[loser])
    if shield == 0 or most_damage_past(s, n, winner, goal, shield, blows) >= health:
        return False
    return waits(s, n, winner, shield, plies, before, first)
