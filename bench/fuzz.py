"""Many thousand conversations of garbage with the server: `python bench/fuzz.py [COUNT] [SEED]`."""

import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.remote.fuzz import fuzz

count, seed = (
    (int(word) for word in (*sys.argv[1:3], "100000", "1")[:2])
    if len(sys.argv) != 2
    else (int(sys.argv[1]), 1)
)
started = time.perf_counter()
endings = asyncio.run(fuzz(count, seed))
print(f"{sum(endings.values())} conversations in {time.perf_counter() - started:.0f} s, no crash, no hang")
for reason, number in endings.most_common():
    print(f"{number:>8}  {reason}")
