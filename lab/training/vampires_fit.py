"""Fit the network to games: `python lab/training/vampires_fit.py OUT.npy GAMES.npz … [NETWORK.npy]` (needs JAX).

The network's output is added to the weighted sum of `champion/value.py`, the first number of a whole position. A
twelfth of the games is held out, and its loss is reported separately. A NETWORK is trained further, slowly and not for
long.
"""

import sys
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

BATCH = 2048
EPOCHS, SPEED = 20, 2.5e-3
MORE_EPOCHS, MORE_SPEED = 8, 5e-4
"""The same for a network that is trained further."""
TRUST = 0.5
"""Share of the search's value in the target; the rest is the game's result."""
DECAY = 1e-5
HIDDEN, LAST, FINAL = 32, 32, 16
"""As in `champion/network.py`."""

KEY = jax.random.PRNGKey(0)
ORDER = ("house", "group", "last", "final", "out")
"""The layers in the order of `champion/network.py`, each followed by its bias; JAX sorts its results by name."""

Net = dict[str, Any]


def to_row(net: Net) -> Any:
    parts = [net[name] for layer in ORDER for name in (layer, f"{layer} bias")]
    return np.concatenate([np.asarray(part, np.float32).ravel() for part in parts])


def from_row(row: Any, net: Net) -> Net:
    """Return a row's numbers in the shapes of a network."""
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


def loss(net: Net, data: Net, trust: float) -> Any:
    logit = 2 * chance(net, data)  # the hyperbolic tangent of x, from 0 to 1, is the logistic function of 2 x
    wanted = (1 - trust) * data["result"] + trust * data["thought"]
    return jnp.mean(jnp.logaddexp(0, logit) - wanted * logit)


def main(out: str, *files: str) -> None:
    parts = [np.load(file) for file in files if file.endswith(".npz")]
    begun = [np.load(file) for file in files if file.endswith(".npy")]
    data = {name: np.concatenate([part[name] for part in parts]) for name in parts[0].files}
    games = np.unique(data.pop("game"), return_inverse=True)[1]
    held = np.random.default_rng(0).permutation(games.max() + 1)[games] < (games.max() + 1) // 12
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
            return loss(net, {name: values[places] for name, values in data.items()}, TRUST) + DECAY * weights

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
    print(f"{len(known['result'])} positions; held out: {float(loss(net, unseen, 0.0)):.4f} before")
    for number in range(epochs):
        order = jax.random.permutation(jax.random.fold_in(KEY, number), len(known["result"]))
        carry, found = epoch(known, carry, order[: batches * BATCH].reshape(batches, BATCH))
        held_out = float(loss(carry[0], unseen, 0.0))
        print(f"epoch {number + 1}: {float(found.mean()):.4f}, held out {held_out:.4f}", flush=True)
    np.save(out, to_row(carry[0]))


if __name__ == "__main__":
    main(*sys.argv[1:])
