"""Games that must come out as they did before: their records, to the byte, and their last positions."""

from hashlib import sha256

from lab.replay_check import play

from noctagon.core.record import decode
from noctagon.core.registry import find_game

GAMES = 60
DIGEST = "f953ea85066c3bf4b896b2d48aa3db5fe518be58b0645e317c536c8cefc7e113"
"""Checksum of random games, written with the code of version 0.1; players that compute with fractions have no part."""


def test_recorded_games_stay_as_they_are() -> None:
    digest = sha256()
    for number in range(GAMES):
        golden = play(number, {"vampires": ["random"], "wargame": ["random"]})
        digest.update(golden.line + golden.final.encode())
        record = decode(golden.line)
        assert find_game(record.game).format_position(record.final()) == golden.final
    assert digest.hexdigest() == DIGEST
