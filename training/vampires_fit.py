"""Fit the network to games: `python training/vampires_fit.py OUT.npy GAMES.npz … [NETWORK.npy]` (needs JAX).

What is learned is added to the weighted sum of `engine_value`, the first number of a whole position. A twelfth of the
games is held out, and told apart. With a network to go on from, it learns more slowly.
"""

import sys
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

BATCH = 2048
EPOCHS, SPEED = 12, 2.5e-3
MORE_EPOCHS, MORE_SPEED = 9, 1e-3
"""The same for a network that goes on."""
RESULT, NOW = 0.3, 0.4
"""The share of the result in what is learned, and in the rest that of what was thought at once; else it is what was
thought later."""
SURE = 0.999
SEARCHED, BESIDE = 1, 2
"""As in `vampires_games`."""
HUMANS, FAVOURITE = 4, 30
"""Where in what describes the whole position these are told."""
RICH = 16
"""With so many houses or more everything is open."""
DECAY = 1e-5
HIDDEN, LAST, FINAL = 32, 32, 16
"""As in `engine_network`."""

KEY = jax.random.PRNGKey(0)
ORDER = ("house", "group", "last", "final", "out")
"""The layers as `engine_network` wants them, each followed by its bias; JAX sorts what it returns by name."""

Net = dict[str, Any]


def to_row(net: Net) -> Any:
    parts = [net[name] for layer in ORDER for name in (layer, f"{layer} bias")]
    return np.concatenate([np.asarray(part, np.float32).ravel() for part in parts])


def from_row(row: Any, net: Net) -> Net:
    """A row's numbers in the shapes of a network."""
    found, at = {}, 0
    for layer in ORDER:
        for name in (layer, f"{layer} bias"):
            found[name] = jnp.asarray(row[at : at + net[name].size]).reshape(net[name].shape)
            at += net[name].size
    return found


def new_net(house: int, group: int, whole: int) -> Net:
    def layer(number: int, inputs: int, outputs: int, scale: float) -> Any:
        return jax.random.normal(keys[number], (inputs, outputs)) * scale * np.sqrt(2 / inputs)

    keys = jax.random.split(KEY, 4)
    return {
        "house": layer(0, house, HIDDEN, 0.7),
        "house bias": jnp.zeros(HIDDEN),
        "group": layer(1, group, HIDDEN, 0.7),
        "group bias": jnp.zeros(HIDDEN),
        "last": layer(2, 4 * HIDDEN + whole, LAST, 0.5),
        "last bias": jnp.zeros(LAST),
        "final": layer(3, LAST, FINAL, 1.0),
        "final bias": jnp.zeros(FINAL),
        "out": jnp.zeros(FINAL),
        "out bias": jnp.zeros(()),
    }


def chance(net: Net, data: Net) -> Any:
    houses, groups = data["houses"].astype(jnp.float32), data["groups"].astype(jnp.float32)
    there = jnp.arange(houses.shape[1])[None] < data["count"][:, None]
    house = jax.nn.relu(houses @ net["house"] + net["house bias"]) * there[..., None]
    present = jnp.arange(groups.shape[2])[None, None] < data["sizes"][..., None]
    group = (jax.nn.relu(groups @ net["group"] + net["group bias"]) * present[..., None]).sum(2)
    pool = [house.sum(1), (house * houses[..., :1]).sum(1), group[:, 0], group[:, 1], data["whole"]]
    last = jax.nn.relu(jnp.concatenate(pool, 1) @ net["last"] + net["last bias"])
    final = jax.nn.relu(last @ net["final"] + net["final bias"])
    return final @ net["out"] + net["out bias"] + data["whole"][:, 0]


def calibration(data: Net, thought: Any) -> Any:
    """What a thought tells of the result: itself, and that the favourite wins more often, most where much is open."""
    logit = 2 * np.arctanh(np.clip(thought, -0.9, 0.9))
    favourite = data["whole"][:, FAVOURITE]
    rich = np.minimum(1, data["count"] / RICH)
    return np.stack(
        [logit, logit * rich, favourite, favourite * rich, favourite * data["whole"][:, HUMANS]], 1
    )


def targets(data: Net, held: Any) -> Any:
    """What the network is to say of the positions of a file, as a chance."""
    known = (data["origin"] == SEARCHED) & (np.abs(data["now"]) < SURE) & ~held
    inputs, result = calibration(data, data["now"])[known], data["result"][known]
    weights = np.zeros(inputs.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-inputs @ weights))
        curve = (inputs.T * (chance * (1 - chance))) @ inputs + 1e-6 * np.eye(len(weights))
        weights -= np.linalg.solve(curve, inputs.T @ (chance - result))

    def chances(thought: Any) -> Any:
        likely = 1 / (1 + np.exp(-calibration(data, thought) @ weights))
        return np.where(np.abs(thought) < SURE, likely, 0.5 + 0.49 * np.sign(thought))

    now, later = chances(data["now"]), chances(data["later"])
    found = np.where(data["origin"] == SEARCHED, NOW * now + (1 - NOW) * later, later)
    return np.where(data["origin"] == BESIDE, now, RESULT * data["result"] + (1 - RESULT) * found)


def losses(net: Net, data: Net, wanted: Any) -> Any:
    logit = 2 * chance(net, data)  # the hyperbolic tangent of x, from 0 to 1, is the logistic function of 2 x
    return jnp.logaddexp(0, logit) - wanted * logit


def loss(net: Net, data: Net) -> Any:
    return jnp.mean(losses(net, data, data["target"]) * data["weight"])


def result_loss(net: Net, data: Net) -> Any:
    return jnp.mean(losses(net, data, data["result"]))


def load(file: str) -> Net:
    """A file's positions with their targets; none is held out that no game went through, for it has no result."""
    with np.load(file) as saved:
        data = dict(saved)
    games = np.unique(data.pop("game"), return_inverse=True)[1]
    held = np.random.default_rng(0).permutation(games.max() + 1)[games] < (games.max() + 1) // 12
    data["held"] = held
    data["target"] = targets(data, held).astype(np.float32)
    beside = data.pop("origin") == BESIDE
    data["weight"] = np.where(beside, 0.5, 1.0).astype(np.float32)
    del data["now"], data["later"]
    return {name: values[~(held & beside)] for name, values in data.items()}


def main(out: str, *files: str) -> None:
    parts = [load(file) for file in files if file.endswith(".npz")]
    begun = [np.load(file) for file in files if file.endswith(".npy")]
    data = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    held = data.pop("held")
    known = {name: jnp.asarray(values[~held]) for name, values in data.items()}
    unseen = {name: jnp.asarray(values[held]) for name, values in data.items()}
    net = new_net(data["houses"].shape[2], data["groups"].shape[3], data["whole"].shape[1])
    epochs, fastest = EPOCHS, SPEED
    if begun:
        net, epochs, fastest = from_row(begun[0], net), MORE_EPOCHS, MORE_SPEED
    batches = len(known["result"]) // BATCH
    steps = epochs * batches

    def step(data: Net, carry: Any, places: Any) -> tuple[Any, Any]:
        net, mean, square, t = carry
        t = t + 1

        def cost(net: Net) -> Any:
            weights = sum(jnp.sum(values**2) for values in net.values() if values.ndim == 2)
            return loss(net, {name: values[places] for name, values in data.items()}) + DECAY * weights

        found, slope = jax.value_and_grad(cost)(net)
        speed = fastest * jnp.minimum(1, t / 200) * (0.5 * (1 + jnp.cos(jnp.pi * t / steps)) + 0.003)
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slope)
        square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, square, slope)
        net = jax.tree.map(
            lambda p, m, v: p - speed * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8),
            net,
            mean,
            square,
        )
        return (net, mean, square, t), found

    epoch = jax.jit(lambda data, carry, places: jax.lax.scan(partial(step, data), carry, places))
    nothing = jax.tree.map(jnp.zeros_like, net)
    carry = net, nothing, nothing, jnp.zeros(())
    print(f"{len(known['result'])} positions; held out: {float(result_loss(net, unseen)):.4f} before")
    for number in range(epochs):
        order = jax.random.permutation(jax.random.fold_in(KEY, number), len(known["result"]))
        carry, found = epoch(known, carry, order[: batches * BATCH].reshape(batches, BATCH))
        held_out = float(result_loss(carry[0], unseen))
        print(f"epoch {number + 1}: {float(found.mean()):.4f}, held out {held_out:.4f}", flush=True)
    np.save(out, to_row(carry[0]))


if __name__ == "__main__":
    main(*sys.argv[1:])
