"""The checkout of the repository, for what is not part of the installed package: studies and C++ twins."""

from __future__ import annotations

from pathlib import Path

import noctagon


def find_checkout() -> Path | None:
    """Return the checkout that the package runs from, else the current folder if it is one, else None."""
    package = Path(noctagon.__file__).parent
    for folder in (package.parent.parent, Path.cwd()):
        if (folder / "lab" / "__main__.py").is_file() and (folder / "src" / "noctagon").is_dir():
            return folder
    return None
