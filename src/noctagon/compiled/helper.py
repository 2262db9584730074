"""A process that compiles together with the one that started it: `python -m noctagon.compiled.helper LAYOUTS MODULE …`.

Both compile the same functions, each that nobody has claimed yet, and meet in the cache.
"""

import sys

from noctagon.compiled import jit


def main(layouts: str, *modules: str) -> None:
    """Compile what modules define, and with `layouts` over 0 the larger layouts, too."""
    jit.prepare("", *modules)
    if int(layouts):
        jit.complete()


if __name__ == "__main__":
    main(*sys.argv[1:])
