"""Whole games of AI Wargame, compiled: the champion's search and alpha-beta, each limited by its nodes.

At a few thousand nodes a turn a core plays some twenty games a second, which is what `wargame_games.py` and
`wargame_match.py` need. The results are those of `Engine` and `KernelSearch`, except for the order at the root.
"""

from noctagon.compiled.jit import Bytes, Int, Ints, Longs, compiled
from noctagon.games.wargame.champion.ordering_kernel import Work, arrange, pick
from noctagon.games.wargame.champion.search_kernel import DECIDED, FAR, look
from noctagon.games.wargame.champion.table_kernel import Table
from noctagon.games.wargame.players import search_kernel
from noctagon.games.wargame.players.evaluation_kernel import WIN
from noctagon.games.wargame.players.search_kernel import Evaluation
from noctagon.games.wargame.rules.kernel import DEFENDER_DOWN, GOES_ON, State, make, outcome, unmake

ENGINE, ALPHABETA = 0, 1
NOT_SEARCHED, SEARCHED, ASIDE = range(3)
"""Origins of a noted position: the opponent's turn, the champion's, or some random moves off the game."""
ROW = 28
"""The bytes of a noted position: 25 cells, side, ply, where it comes from."""
VALUE, WON, LAST_RANDOM = range(3)
"""Places in `report`: a search's value for the mover, whether the attacker won, where random moves ended."""
ASIDE_NODES = 3000

PlainWork = search_kernel.Work
plain_look, plain_arrange = search_kernel.look, search_kernel.arrange
SURE = WIN - 1000


@compiled
def think(
    s: State,
    w: Work,
    t: Table,
    endings: Bytes,
    offsets: Longs,
    evaluate: Evaluation,
    weights: Ints,
    nodes: Int,
    report: Longs,
) -> Int:
    """Return the champion's action, by iterative deepening until the nodes are spent or the game is decided."""
    w.age = (w.age + 1) & 63
    for i in range(len(w.killers)):
        w.killers[i, 0] = w.killers[i, 1] = -1
    for i in range(1024):
        w.history[0, i] = w.history[1, i] = 0
    w.nodes = w.spent = w.stop = 0
    w.most_nodes = nodes
    count = arrange(s, w, 0, False)
    for i in range(count):
        pick(w, 0, i, count)
    report[VALUE] = last = 0
    action = Int(w.actions[0, 0])
    for depth in range(1, 50):
        low = last - 40 if depth > 4 else -FAR
        high = last + 40 if depth > 4 else FAR
        while True:
            finished = look(s, w, t, endings, offsets, evaluate, weights, depth, count, low, high, 1e9)
            found = Int(w.value)
            if finished and found <= low and low > -FAR:
                low = -FAR
            elif finished and found >= high and high < FAR:
                high = FAR
            else:
                break
        if found > low and w.best >= 0:
            action = Int(w.actions[0, Int(w.best)])
            for i in range(w.best, 0, -1):
                w.actions[0, i] = w.actions[0, i - 1]
            w.actions[0, 0] = action
            report[VALUE] = found
            if finished:
                last = found
        if not finished or abs(found) > DECIDED:
            break
    return action


@compiled
def think_plainly(
    s: State, w: PlainWork, evaluate: Evaluation, weights: Ints, nodes: Int, depths: Int
) -> Int:
    """Return the action of alpha-beta, up to `depths` plies deep."""
    w.prune = w.ordered = 1
    w.nodes = w.spent = w.stop = 0
    w.most_nodes = nodes
    for i in range(len(w.killers)):
        w.killers[i] = -1
    count = plain_arrange(s, w, Int(0))
    action = Int(w.actions[0, 0])
    for depth in range(1, depths + 1):
        finished = plain_look(s, w, evaluate, weights, depth, count, 1e9)
        if w.looked > 0:
            action = Int(w.actions[0, Int(w.best)])
            for i in range(w.best, 0, -1):
                w.actions[0, i] = w.actions[0, i - 1]
            w.actions[0, 0] = action
        if not finished or abs(Int(w.value)) > SURE:
            break
    return action


@compiled
def draw(seed: Longs, n: Int) -> Int:
    """Return a random number below n."""
    x = seed[0]
    x ^= x << 13
    x ^= (x >> 7) & ((1 << 57) - 1)
    x ^= x << 17
    seed[0] = x
    return ((x >> 20) & ((1 << 40) - 1)) % n


@compiled
def any_action(s: State, w: Work, seed: Longs) -> Int:
    """Return a random action, no self-destruction if there is another."""
    count = arrange(s, w, 0, False)
    action = Int(w.actions[0, draw(seed, count)])
    for _ in range(200):
        if action >> 5 != action & 31:
            break
        action = Int(w.actions[0, draw(seed, count)])
    return action


@compiled
def write(s: State, rows: Bytes, n: Int, origin: Int) -> Int:
    """Note a position; return the number of positions."""
    for cell in range(25):
        rows[n * ROW + cell] = s.cells[cell]
    rows[n * ROW + 25] = s.side
    rows[n * ROW + 26] = s.ply
    rows[n * ROW + 27] = origin
    return n + 1


@compiled
def play(
    s: State,
    w: Work,
    plain: PlainWork,
    attacking: Table,
    defending: Table,
    endings: Bytes,
    offsets: Longs,
    attack: Evaluation,
    attack_weights: Ints,
    defence: Evaluation,
    defence_weights: Ints,
    opponent: Evaluation,
    opponent_weights: Ints,
    kinds: Longs,
    nodes: Longs,
    depths: Int,
    random: Int,
    until: Int,
    learn: Int,
    seed: Longs,
    rows: Bytes,
    values: Longs,
    report: Longs,
) -> Int:
    """Play a game from a position to its end, note all positions and return their number.

    `kinds` and `nodes` are by side; an opponent by alpha-beta looks `depths` plies ahead. Before the ply `until`,
    `random` actions of a thousand are random ones. To `learn`, two of three decided games end there, and after
    three of ten actions a position some random moves aside is noted too, with what a short search finds.
    """
    n = 0
    report[LAST_RANDOM] = 0
    while outcome(s) == GOES_ON:
        s.made = 0
        side = Int(s.side)
        value = Int(0)
        origin = NOT_SEARCHED
        if kinds[side] == ALPHABETA:
            action = think_plainly(s, plain, opponent, opponent_weights, nodes[side], depths)
        elif side == 0:
            origin = SEARCHED
            action = think(s, w, attacking, endings, offsets, attack, attack_weights, nodes[0], report)
            value = report[VALUE]
        else:
            origin = SEARCHED
            action = think(s, w, defending, endings, offsets, defence, defence_weights, nodes[1], report)
            value = -report[VALUE]
        if learn and abs(value) > DECIDED and draw(seed, 3):
            report[WON] = 1 if value > 0 else 0
            return n
        values[n] = value
        n = write(s, rows, n, origin)
        if learn and draw(seed, 10) < 3:
            moves = 0
            aside = 1 + draw(seed, 3)
            while moves < aside and outcome(s) == GOES_ON:
                other = any_action(s, w, seed)
                make(s, other >> 5, other & 31)
                moves += 1
            if outcome(s) == GOES_ON:
                if kinds[1] == ENGINE and (kinds[0] == ALPHABETA or draw(seed, 2)):
                    think(
                        s, w, defending, endings, offsets, defence, defence_weights, Int(ASIDE_NODES), report
                    )
                else:
                    think(s, w, attacking, endings, offsets, attack, attack_weights, Int(ASIDE_NODES), report)
                values[n] = report[VALUE] if s.side == 0 else -report[VALUE]
                n = write(s, rows, n, ASIDE)
            for _ in range(moves):
                unmake(s)
        if s.ply < until and draw(seed, 1000) < random:
            action = any_action(s, w, seed)
            report[LAST_RANDOM] = n
        make(s, action >> 5, action & 31)
    s.made = 0
    report[WON] = 1 if outcome(s) == DEFENDER_DOWN else 0
    return n
