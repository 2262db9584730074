"""`python -m lab endings`: solve the endings of AI Wargame and write the file that ships."""

import lzma
from pathlib import Path

from noctagon.games.wargame.champion.endings import FILE, NAMES, solve


def endings() -> None:
    """Solve the endings of AI Wargame and write the file that ships."""
    solved = solve()
    packed = lzma.compress(b"".join(solved[name] for name in NAMES), preset=9 | lzma.PRESET_EXTREME)
    file = Path(str(FILE))
    file.write_bytes(packed)
    print(f"{file.name}: {len(packed):,} bytes")
