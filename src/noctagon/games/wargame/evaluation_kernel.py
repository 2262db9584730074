"""The evaluations of AI Wargame that are more than the kernel's own e0, compiled."""

from noctagon.games.wargame import units
from noctagon.games.wargame.bits import lowest
from noctagon.games.wargame.kernel import DEFENDER_DOWN, GOES_ON, State, outcome
from noctagon.jit import Int, Ints, compiled

WIN = 1_000_000
"""What a won game is worth, less the turns it took."""


@compiled
def health(s: State, weights: Ints) -> Int:
    """What both sides have, the attacker's minus the defender's; a finished game outweighs everything.

    `weights` are, by kind, what a unit is worth (5) and each point of its health (5), and what a Virus gains
    with every step towards the enemy's AI (1).
    """
    stands = outcome(s)
    if stands != GOES_ON:
        won = WIN - min(Int(s.ply), 100_000)  # better sooner than later
        return won if stands == DEFENDER_DOWN else -won
    value = 0
    for side in range(2):
        enemy_ai = 0
        others = Int(s.army[side ^ 1])
        while others:
            cell = lowest(others)
            others &= others - 1
            if Int(s.cells[cell]) >> 4 & 7 == units.AI:
                enemy_ai = cell
        worth = 0
        own = Int(s.army[side])
        while own:
            cell = lowest(own)
            own &= own - 1
            code = Int(s.cells[cell])
            kind = code >> 4 & 7
            worth += weights[kind] + weights[5 + kind] * (code & 15)
            if kind == units.VIRUS:
                steps = abs(cell // 5 - enemy_ai // 5) + abs(cell % 5 - enemy_ai % 5)
                worth -= weights[10] * steps
        value += worth if side == units.ATTACKER else -worth
    return value
