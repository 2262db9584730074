"""The example of a game of one's own, installed beside noctagon for programs that are started with its environment."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.web.page import Page

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "tictactoe"


def installed(folder: Path) -> dict[str, str]:
    """The environment in which the game is known."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", folder, EXAMPLE], check=True, capture_output=True)
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


@contextlib.contextmanager
def served(environment: dict[str, str], folder: Path) -> Iterator[Page]:
    """`noctagon web` as a program of its own."""
    command = [sys.executable, "-m", "noctagon", "web", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as program:
        try:
            assert program.stdout is not None
            found = (re.search(r"http://127\.0\.0\.1:(\d+)/", line) for line in program.stdout)
            page = Page(next(int(said[1]) for said in found if said))
            while not page.get("/preparation")[
                "ready"
            ]:  # the server is another process: it can only be asked
                time.sleep(0.1)
            yield page
            page.client.close()
        finally:
            program.terminate()
            program.communicate(timeout=60)
