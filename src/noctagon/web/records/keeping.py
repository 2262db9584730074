"""Keeping the page's finished games in the store; these functions run in a worker process."""

from __future__ import annotations

import msgspec

from noctagon.arena.bout import Finished


def keep(where: str, game: Finished, origin: str) -> bool:
    """Add a game to the store, with where it was played; return False if it was there already."""
    from noctagon.arena.store.store import Store

    with Store.open(where) as store:
        return store.add(msgspec.structs.replace(game, slot=origin))
