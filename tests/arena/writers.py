"""A program that writes games to a store, one of several at once: python -m tests.arena.writers PLACE NUMBER.

It waits for a line before it begins, and tells the slot of each game of its own once it is written.
"""

import sys

from noctagon.arena.store.store import Store
from tests.arena.games import a_game

GAMES = 25


def main(place: str, writer: str) -> None:
    print("ready", flush=True)
    sys.stdin.readline()
    names = ("ada", "bob") if int(writer) % 2 else ("bob", "ada")
    with Store.open(place) as store:
        store.save_plan("spring", "vampires", b"")
        for number in range(GAMES):
            own = a_game(players=names, slot=f"{writer}/{number}", key="own", record=writer.encode())
            assert store.add(own, "spring")
            print(own.slot, flush=True)
            store.add(a_game(slot=f"all/{number}", key="shared", record=b"shared"), "spring")
            store.add(a_game(record=b"without a tournament %d" % number))


if __name__ == "__main__":
    main(*sys.argv[1:])
