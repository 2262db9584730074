"""Learn one side's network from games: python wargame_train.py SIDE OUT.npz GAMES.npz … (NumPy and PyTorch)

Only the games of a file count in which the champion has the SIDE, `attacker` or `defender`. A
position's target is for the smaller part the game's result, for the larger what a search found there and a little
later in the same game; where it lies aside of a game, it is what a short search found. A unit's row is a sum of what
its kind is worth on a cell, there with its health, and by its health alone; half of the numbers are those of the
mirrored position, and so are half of the second layer's, so that a position and its mirror image are worth the same.
A tenth of the games is held out, and the loss on them is printed.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found,unused-ignore]
from torch import nn  # type: ignore[import-not-found,unused-ignore]
from torch.nn import functional  # type: ignore[import-not-found,unused-ignore]

UNITS, ROWS, TURN = 2250, 2576, 2350
"""As in `network_kernel`: the rows of units, all rows, and the first of the turn's rows."""
LINEAR, ONE, SECOND_ONE, WEIGHT, FINE = 2, 1 << 10, 1 << 12, 1 << 14, 16
"""As in `integer_layers`: the number 1 in either layer's sums, and in the weights between; outputs are sixteenths."""
EIGHTS = 16
SCALE = 100
"""The search's value for 1 on the logistic scale."""
SEARCHED, ASIDE = 1, 2
SIDES = {"attacker": 0, "defender": 1}
"""Names of the champion's side, and in `purpose`."""
SHAPES = {"attacker": (128, 32), "defender": (32, 0)}
"""Widths of a row and of the second layer, as in `network_kernel`."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SURE, LATER, SUREST = 30000, 8, 5.0
RESULT = 0.3
"""Share of a game's result in the targets of its positions."""
EPOCHS, BATCH, RATE, DECAY = 4, 4096, 4e-3, 1e-3


def load(paths: list[str], side: int) -> dict[str, Any]:
    """Load a side's positions: `file` is the origin of each, `later` the value found LATER plies on."""
    parts = []
    games = 0
    for number, path in enumerate(paths):
        with np.load(path) as saved:
            part = dict(saved)
        part["later"] = later(part)
        part["file"] = np.full(len(part["won"]), number, np.uint8)
        part["game"] = part["game"] + games
        games = part["game"].max() + 1
        chosen = part["purpose"] == side
        parts.append({name: column[chosen] for name, column in part.items()})
    return {
        name: torch.from_numpy(np.concatenate([part[name] for part in parts]).astype(kind))
        for name, kind in {
            "rows": np.int16,
            "origin": np.int64,
            "value": np.float32,
            "later": np.float32,
            "won": np.float32,
            "game": np.int64,
            "file": np.int64,
        }.items()
    }


def later(part: dict[str, Any]) -> Any:
    """Return for each position the value found by the first search LATER plies on in its game, or the result."""
    on_way = np.flatnonzero(part["origin"] != ASIDE)
    plies = np.cumsum(part["origin"] != ASIDE)
    searched = np.flatnonzero(part["origin"] == SEARCHED)
    count = len(plies)
    target = np.minimum(plies + LATER - 1, len(on_way) - 1)
    place = np.searchsorted(searched, on_way[target])
    place = searched[np.minimum(place, len(searched) - 1)]
    inside = (
        (plies + LATER - 1 < len(on_way)) & (part["game"][place] == part["game"]) & (place > np.arange(count))
    )
    return np.where(inside, part["value"][place], np.where(part["won"], 32000, -32000))


def scale_of(values: Any, won: Any) -> tuple[float, float]:
    """Return the factor and the constant that turn values into chances, by logistic regression."""
    inputs = torch.stack([values / 100, torch.ones_like(values)], 1).double()
    found = torch.zeros(2, dtype=torch.double)
    for _ in range(30):
        chance = torch.sigmoid(inputs @ found)
        curve = (inputs.T * (chance * (1 - chance))) @ inputs + 1e-6 * torch.eye(2)
        found -= torch.linalg.solve(curve, inputs.T @ (chance - won.double()))
    return float(found[0]) / 100, float(found[1])


def targets(data: dict[str, Any], held_out: Any) -> Any:
    """Return the target of each position, as a chance."""
    now, then = torch.zeros_like(data["won"]), torch.zeros_like(data["won"])
    for number in range(int(data["file"].max()) + 1):
        same = data["file"] == number
        known = same & (data["origin"] == SEARCHED) & (data["value"].abs() < SURE) & ~held_out
        factor, constant = scale_of(data["value"][known], data["won"][known])
        for values, chances in ((data["value"], now), (data["later"], then)):
            logit = (values * factor + constant).clamp(-SUREST, SUREST)
            logit = torch.where(values.abs() >= SURE, SUREST * values.sign(), logit)
            chances[same] = torch.sigmoid(logit[same])
    found = torch.where(data["origin"] == SEARCHED, 0.4 * now + 0.6 * then, then)
    return torch.where(data["origin"] == ASIDE, now, (1 - RESULT) * found + RESULT * data["won"])


class Net(nn.Module):  # type: ignore[misc,unused-ignore]
    """The network in floating point."""

    def __init__(self, width: int, second: int) -> None:
        super().__init__()
        self.mirrored = (width - LINEAR) // 2
        own = LINEAR + self.mirrored
        self.cell = nn.Parameter(torch.randn(250, own) * 0.1)
        self.cell_health = nn.Parameter(torch.randn(250, own) * 0.05)
        self.health = nn.Parameter(torch.randn(90, own) * 0.05)
        self.others = nn.Parameter(torch.randn(ROWS - UNITS, own) * 0.1)
        self.start = nn.Parameter(torch.full((own,), 0.3))
        self.output = nn.Parameter(torch.randn(1, own) * 0.2)
        self.change = nn.Parameter(torch.zeros(EIGHTS, own))
        self.constant = nn.Parameter(torch.zeros(EIGHTS))
        half = second // 2
        self.same = nn.Parameter(torch.randn(half, self.mirrored) / self.mirrored**0.5)
        self.other = nn.Parameter(torch.randn(half, self.mirrored) / self.mirrored**0.5)
        self.bias = nn.Parameter(torch.full((half,), 0.3))
        self.bias_change = nn.Parameter(torch.zeros(EIGHTS, half))
        self.final = nn.Parameter(torch.randn(1, half) * 0.2)
        self.final_change = nn.Parameter(torch.zeros(EIGHTS, half))
        with torch.no_grad():
            for rows in (self.cell, self.cell_health, self.health, self.others):
                rows[:, :LINEAR] *= 0.1
            self.start[:LINEAR] = 0
            self.output[..., :LINEAR] = 1
        unit = torch.arange(UNITS)
        mirror = torch.arange(ROWS + 1)
        cell = unit // 9 % 25
        mirror[:UNITS] = (unit // 225 * 25 + cell % 5 * 5 + cell // 5) * 9 + unit % 9
        self.register_buffer("place", unit // 9)
        self.register_buffer("state", unit // 225 * 9 + unit % 9)
        self.register_buffer("share", ((unit % 9 + 1) / 9)[:, None])
        self.register_buffer("mirror", mirror)

    def few(self) -> list[Any]:
        """Return the parameters that few positions train, so that they change more slowly than the others."""
        return [self.others, self.change, self.bias_change, self.final_change]

    def table(self) -> Any:
        """Return all rows, and one of zeros."""
        rows = self.cell[self.place] + self.health[self.state] + self.cell_health[self.place] * self.share
        rows = torch.cat([rows, self.others, rows.new_zeros(1, rows.shape[1])])
        mirrored = rows[self.mirror]
        straight = (rows[:, :LINEAR] + mirrored[:, :LINEAR]) / 2
        return torch.cat([straight, rows[:, LINEAR:], mirrored[:, LINEAR:]], 1)

    @staticmethod
    def doubled(numbers: Any) -> Any:
        """Return the numbers with those of the mirrored half."""
        return torch.cat([numbers, numbers[..., LINEAR:]], -1)

    def second(self) -> tuple[Any, Any, Any]:
        """Return the second layer's rows, biases and outputs, each for a position and for its mirror image."""
        rows = torch.cat([torch.cat([self.same, self.other], 1), torch.cat([self.other, self.same], 1)])
        biases, finals = self.bias + self.bias_change, self.final + self.final_change
        return rows, torch.cat([biases, biases], 1), torch.cat([finals, finals], 1)

    def forward(self, rows: Any) -> Any:
        """Return the values of positions, given by the rows that they switch on."""
        left = (rows[:, 0] - TURN) // 2
        sums = functional.embedding_bag(rows, self.table(), mode="sum") + self.doubled(self.start)
        cut = sums[:, LINEAR:].clamp(0, 1)
        outputs = self.doubled(self.output + self.change)[left]
        second, biases, finals = self.second()
        hidden = (cut @ second.T + biases[left]).clamp(0, 1)
        worth = (outputs[:, :LINEAR] * sums[:, :LINEAR]).sum(1) + (outputs[:, LINEAR:] * cut).sum(1)
        return worth + (finals[left] * hidden).sum(1) + self.constant[left]

    def save(self, path: str) -> None:
        """Save the network in whole numbers for `integer_layers`; the bias of every sum joins the turn's rows."""
        with torch.no_grad():
            rows = self.table()[:ROWS]
            rows[TURN : TURN + 2 * EIGHTS] += self.doubled(self.start)
            outputs = self.doubled(self.output + self.change) * SCALE * FINE
            parts = {"rows": rows * ONE, "outputs": outputs}
            if len(self.bias):
                second, biases, finals = self.second()
                second = functional.pad(second, (LINEAR, 0)).T
                parts |= {
                    "second": second * WEIGHT,
                    "biases": biases * SECOND_ONE,
                    "finals": finals * SCALE * FINE,
                }
            parts |= {"constants": self.constant * SCALE}
        whole = {name: np.rint(part.cpu().numpy()) for name, part in parts.items()}
        assert all(np.abs(part).max() < 1 << 15 for part in whole.values())
        np.savez_compressed(path, **{name: part.astype(np.int16) for name, part in whole.items()})


def losses(net: Net, data: dict[str, Any], chosen: Any) -> str:
    """Return the loss on the results of undecided games, by file."""
    chosen = torch.nonzero(chosen & (data["origin"] != ASIDE) & (data["value"].abs() < SURE)).ravel()
    with torch.no_grad():
        found = torch.cat([net(data["rows"][part].long()).cpu() for part in chosen.split(65536)])
    told = []
    for number in range(int(data["file"].max()) + 1):
        same = data["file"][chosen] == number
        loss = functional.binary_cross_entropy_with_logits(found[same], data["won"][chosen][same])
        told.append(f"{float(loss):.4f}")
    return " ".join(told)


def main() -> None:
    torch.manual_seed(1)
    side, out, *paths = sys.argv[1:]
    data = load(paths, SIDES[side])
    held_out = data["game"] % 10 == 0
    goal = targets(data, held_out).to(DEVICE)
    share = torch.where(data["origin"] == ASIDE, 0.5, 1.0).to(DEVICE)
    data["rows"] = data["rows"].to(DEVICE)
    net = Net(*SHAPES[side]).to(DEVICE)
    few = net.few()
    many = [one for one in net.parameters() if all(one is not other for other in few)]
    groups = [{"params": few, "weight_decay": 30 * DECAY}, {"params": many, "weight_decay": DECAY}]
    optimizer = torch.optim.AdamW(groups, lr=RATE)
    chosen = torch.nonzero(~held_out).ravel().to(DEVICE)
    steps = EPOCHS * (len(chosen) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=0.1)
    begin = time.monotonic()
    for epoch in range(EPOCHS):
        for part in chosen[torch.randperm(len(chosen), device=DEVICE)].split(BATCH)[: steps // EPOCHS]:
            found = net(data["rows"][part].long())
            loss = functional.binary_cross_entropy_with_logits(found, goal[part], reduction="none")
            optimizer.zero_grad()
            (loss * share[part]).mean().backward()
            optimizer.step()
            schedule.step()
        print(f"{epoch + 1}: {losses(net, data, held_out)} ({time.monotonic() - begin:.0f} s)", flush=True)
    net.save(out)


if __name__ == "__main__":
    main()
