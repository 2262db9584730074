"""Keeping the page's finished games in the store; these functions run in a worker process."""

from __future__ import annotations

import msgspec

from noctagon.core.record import decode


def keep(where: str, record: bytes, origin: str) -> bool:
    """Add a game to the store, with where it was played; False if it was there already."""
    from noctagon.arena.store.store import Store
    from noctagon.arena.store.summary import summarise

    game = summarise(decode(record), record).game
    with Store.open(where) as store:
        return store.add(msgspec.structs.replace(game, slot=origin))
