"""Monte Carlo tree search with the champion's parts, compiled: games from which its evaluation learned.

The turns of a position are the champion's candidates, their scores the prior (PUCT); a leaf has the value of the
evaluation. A random battle has two outcomes, visited as often as they are likely.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.compiled.jit import Float, Floats, Int, Ints, Nothing, Record, compiled
from noctagon.games.vampires.champion import records as engine_work
from noctagon.games.vampires.champion import search as engine
from noctagon.games.vampires.champion.evaluation import champion, crop
from noctagon.games.vampires.champion.records import Work
from noctagon.games.vampires.champion.search_kernel import OUTCOMES, list_battles, set_dice
from noctagon.games.vampires.champion.turns import list_turns
from noctagon.games.vampires.champion.value import DECIDED, Evaluation
from noctagon.games.vampires.rules import kernel
from noctagon.games.vampires.rules.kernel import DRAW, GOES_ON, Compact, CompactTurn, ended, play
from noctagon.games.vampires.rules.packing import unpack
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Move, Turn

NODES, EDGES, MOVES = 1 << 14, 1 << 18, 1 << 20
DEEPEST = 64
WIDTH, ROOT_WIDTH = 16, 48
"""Maximum number of turns of a position that are tried, and of the first position."""
CURIOSITY = 1.5
UNSEEN = 0.2
"""Difference between a position's value and that of a turn not tried yet."""
HEAT = 0.5
"""Temperature of the prior: the greater, the less a turn's score counts."""
BATTLES = 2
"""Maximum number of random battles of a turn that branch; the others end as is likelier."""
ENDS = OUTCOMES**BATTLES

TREE = np.dtype(
    [
        ("nodes", np.int64),
        ("edges", np.int64),
        ("moves", np.int64),
        ("node_edge", np.int32, NODES),
        ("node_edges", np.int32, NODES),
        ("node_visits", np.int32, NODES),
        ("node_value", np.float64, NODES),
        ("edge_prior", np.float64, EDGES),
        ("edge_visits", np.int32, EDGES),
        ("edge_sum", np.float64, EDGES),
        ("edge_child", np.int32, (EDGES, ENDS)),
        ("edge_ended", np.int32, (EDGES, ENDS)),
        ("edge_move", np.int32, EDGES),
        ("edge_moves", np.int32, EDGES),
        ("move", np.int32, (MOVES, 3)),
        ("path", np.int32, DEEPEST),
    ],
    align=True,
)
"""A node's edges are its turns, each with its moves, its visits, the mover's sum of values and a child by outcome."""

if TYPE_CHECKING:
    Tree = Any
else:
    Tree = Record(TREE)


@compiled
def expand(s: Compact, w: Work, tree: Tree, policy: Floats, width: Int, value: Float) -> Int:
    """Return a new node for an unfinished position with this value for the mover; -1 where there is no room."""
    node = np.int64(tree.nodes)
    if node >= NODES or tree.edges + width >= EDGES or tree.moves + engine_work.MOVES * width >= MOVES:
        return -1
    count = list_turns(s, w, 1, width, policy)
    tree.nodes = node + 1
    tree.node_edge[node], tree.node_edges[node] = tree.edges, count
    tree.node_visits[node], tree.node_value[node] = 1, value
    scale = HEAT * (4.0 + 0.1 * (s.people[0] + s.people[1]))
    total = 0.0
    for i in range(count):
        edge = tree.edges + i
        prior = math.exp(max(-20.0, (w.turn_score[1, i] - w.turn_score[1, 0]) / scale))
        tree.edge_prior[edge] = prior
        total += prior
        tree.edge_visits[edge], tree.edge_sum[edge] = 0, 0.0
        for outcome in range(ENDS):
            tree.edge_child[edge, outcome] = -1
            tree.edge_ended[edge, outcome] = 0
        tree.edge_move[edge], tree.edge_moves[edge] = tree.moves, w.turn_n[1, i]
        for move in range(w.turn_n[1, i]):
            for k in range(3):
                tree.move[tree.moves, k] = w.turn_moves[1, i, move, k]
            tree.moves += 1
    for i in range(count):
        tree.edge_prior[tree.edges + i] /= total
    tree.edges += count
    return node


@compiled
def best_edge(tree: Tree, node: Int) -> Int:
    """Return the turn to try next: one with a high value so far, or promising and seldom tried."""
    first = np.int64(tree.node_edge[node])
    best, found = -1e9, first
    wish = CURIOSITY * math.sqrt(tree.node_visits[node] + 1.0)
    for edge in range(first, first + tree.node_edges[node]):
        visits = np.int64(tree.edge_visits[edge])
        value = tree.edge_sum[edge] / visits if visits else tree.node_value[node] - UNSEEN
        value += wish * tree.edge_prior[edge] / (1.0 + visits)
        if value > best:
            best, found = value, edge
    return found


@compiled
def load(tree: Tree, t: CompactTurn, edge: Int) -> Nothing:
    """Write the turn of an edge in the form of the rules kernel."""
    t.n = tree.edge_moves[edge]
    for i in range(t.n):
        move = tree.edge_move[edge] + i
        source, target = np.int64(tree.move[move, 0]), np.int64(tree.move[move, 2])
        t.moves[i, 0], t.moves[i, 1] = source & 255, source >> 8
        t.moves[i, 2] = tree.move[move, 1]
        t.moves[i, 3], t.moves[i, 4] = target & 255, target >> 8


@compiled
def settle(t: CompactTurn, w: Work, tree: Tree, edge: Int, fights: Int) -> Int:
    """Choose the outcome of a turn's battles that has been visited least for its probability; return its number."""
    found = 0
    most = -1e9
    for outcome in range(OUTCOMES**fights):
        probability = set_dice(t, w, 0, fights, outcome)
        child = np.int64(tree.edge_child[edge, outcome])
        seen = np.int64(tree.edge_ended[edge, outcome])
        if child >= 0:
            seen += np.int64(tree.node_visits[child])
        missing = probability * (tree.edge_visits[edge] + 1.0) - seen
        if probability > 0.0 and missing > most:
            most, found = missing, outcome
    set_dice(t, w, 0, fights, found)
    return found


@compiled
def walk(
    s: Compact,
    t: CompactTurn,
    w: Work,
    tree: Tree,
    evaluate: Evaluation,
    weights: Floats,
    policy: Floats,
) -> Nothing:
    """Go down the tree once from the current position, add a leaf, and add its value to all nodes on the way."""
    first = np.int64(s.mover)
    node = np.int64(0)
    depth = 0
    value = 0.0
    while True:
        edge = best_edge(tree, node)
        tree.path[depth] = edge
        depth += 1
        load(tree, t, edge)
        fights = min(list_battles(s, t, w, 0), BATTLES)
        outcome = settle(t, w, tree, edge, fights) if fights else 0
        play(s, t)
        how = ended(s)
        if how != GOES_ON:
            tree.edge_ended[edge, outcome] += 1
            value = 0.0 if how >> 3 == DRAW else 1.0 if how >> 3 == 0 else -1.0
            break
        node = np.int64(tree.edge_child[edge, outcome])
        if node < 0 or depth == DEEPEST:
            value = evaluate(s, w, weights) / np.float64(DECIDED)
            if node < 0:
                tree.edge_child[edge, outcome] = expand(
                    s, w, tree, policy, WIDTH, value if s.mover == 0 else -value
                )
            break
        tree.node_visits[node] += 1
    for i in range(depth):
        edge = np.int64(tree.path[i])
        tree.edge_visits[edge] += 1
        tree.edge_sum[edge] += value if (first + i) & 1 == 0 else -value
    tree.node_visits[0] += 1


@compiled
def grow(
    s: Compact,
    t: CompactTurn,
    w: Work,
    tree: Tree,
    evaluate: Evaluation,
    weights: Floats,
    policy: Floats,
    packed: Ints,
    walks: Int,
) -> Nothing:
    """Build a new tree for a position by this many walks."""
    tree.nodes = tree.edges = tree.moves = 0
    unpack(s, packed)
    value = evaluate(s, w, weights) / np.float64(DECIDED)
    expand(s, w, tree, policy, ROOT_WIDTH, value if s.mover == 0 else -value)
    for _ in range(walks):
        unpack(s, packed)
        walk(s, t, w, tree, evaluate, weights, policy)


class TreeSearch:
    """A player that grows a new tree every turn and plays the turn that it tried most."""

    def __init__(self, weights: Any = champion.weights) -> None:
        from noctagon.games.vampires.champion.network import evaluate

        self.evaluate, self.weights = evaluate, weights
        self.tree = Record.new(TREE)
        self.work = Record.new(engine_work.WORK)
        self.records = Record.new(kernel.COMPACT), Record.new(kernel.COMPACT_TURN)

    def look(self, state: VampiresState, walks: int) -> tuple[list[Turn], list[int], float]:
        """Return the turns, how often each was tried, and the position's value for the mover, from -1 to 1."""
        packed = crop(state)._packed
        grow(*self.records, self.work, self.tree, self.evaluate, self.weights, engine.POLICY, packed, walks)
        count = int(self.tree.node_edges[0])
        visits = self.tree.edge_visits[:count].tolist()
        turns = []
        for edge in range(count):
            start = int(self.tree.edge_move[edge])
            moves = self.tree.move[start : start + int(self.tree.edge_moves[edge])].tolist()
            turns.append(Turn(Move(a & 255, a >> 8, n, b & 255, b >> 8) for a, n, b in moves))
        return turns, visits, float(self.tree.edge_sum[:count].sum()) / max(1, sum(visits))
