"""Compiling: once, quietly from then on, wherever a folder can be written; and plain Python gives the same."""

import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import noctagon
from noctagon.compiled import ALONE, cache, jit

ROOT = Path(__file__).parent.parent
LOAD = "from noctagon.core.registry import find_game; find_game('wargame').load(); "
COUNT = LOAD + "print(find_game('wargame').initial().perft(4))"
TINY = """
from noctagon.compiled.jit import Int, compiled, entry

@compiled
def twice(x: Int) -> Int:
    return 2 * x

@entry
def four_times(x: Int) -> Int:
    return twice(twice(x))
"""
"""A module with little to compile, where the point is not how much is compiled."""
COMPILED = """
from numba.core import event
class Counter(event.Listener):
    count = 0
    def on_start(self, event): Counter.count += 1
    def on_end(self, event): pass
event.register("numba:compile", Counter())
"""
"""Code that counts the functions that are compiled from then on, as `Counter.count`."""
TWICE = f"{COMPILED}\nimport tiny; print(tiny.four_times(21), Counter.count)"
FOLDER = "from noctagon.compiled import cache; print(cache.folder())"


def python(code: str, **environment: str | None) -> subprocess.CompletedProcess[str]:
    """Run a line of Python in a process with these environment variables (None: without it)."""
    variables: dict[str, str | None] = {**os.environ, **environment}
    env = {name: value for name, value in variables.items() if value is not None}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)


def test_it_says_once_that_it_compiles_and_a_second_process_does_not(tmp_path: Path) -> None:
    cold = python(COUNT, NOCTAGON_CACHE_DIR=str(tmp_path))
    assert cold.stdout == "18738\n"
    assert re.fullmatch(r"Compiling the AI Wargame rules, this one time only … done in \d+ s\n", cold.stderr)
    warm = python(COUNT, NOCTAGON_CACHE_DIR=str(tmp_path))
    assert (warm.stdout, warm.stderr) == ("18738\n", "")


@pytest.mark.parametrize(("columns", "lines"), [(90, 4), (40, 1)])
def test_the_count_of_what_is_compiled_stays_on_its_line(
    columns: int, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal that is too narrow for it there is no count: each would begin a line."""
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", str(columns))
    with jit._progress("the champion of Vampires vs Werewolves", 3) as report:
        report(1)
        report(2)
    shown = screen.getvalue().split("\r")
    assert len(shown) == lines
    assert lines == 1 or shown[2].endswith("… 1 of 3")
    assert lines == 1 or max(map(len, shown[:-1])) < columns


def test_who_waits_can_watch() -> None:
    seen: list[tuple[str, int, int]] = []
    jit.watchers.append(lambda *progress: seen.append(progress))
    try:
        with jit._progress("", 2) as report:
            report(1)
    finally:
        jit.watchers.pop()
    assert seen == [("", 0, 2), ("", 1, 2)]


def test_the_cache_is_in_the_users_cache_folder(tmp_path: Path) -> None:
    if sys.platform == "linux":
        folder = python(FOLDER, XDG_CACHE_HOME=str(tmp_path), NOCTAGON_CACHE_DIR=None).stdout.strip()
        assert Path(folder).parent == tmp_path / "noctagon" / "kernels"


def test_where_the_home_cannot_be_written_the_temporary_folder_serves(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    folder = python(
        FOLDER,
        XDG_CACHE_HOME=str(blocked),
        NOCTAGON_CACHE_DIR=str(blocked / "x"),
        HOME=str(blocked),
        TMPDIR=str(tmp_path),
    ).stdout.strip()
    assert Path(folder).parent.parent == tmp_path


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    (tmp_path / "tiny.py").write_text(TINY)
    return f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {TWICE}"


def test_without_a_home_it_works(tmp_path: Path, tiny: str) -> None:
    done = python(
        tiny, HOME=None, USER=None, XDG_CACHE_HOME=None, NOCTAGON_CACHE_DIR=None, TMPDIR=str(tmp_path)
    )
    assert done.stdout.startswith("84 ")


def test_where_nothing_can_be_written_it_works_without_a_cache(tiny: str) -> None:
    code = "from noctagon.compiled import cache; cache._candidates = lambda: iter(()); " + tiny
    assert python(code).stdout.startswith("84 ")


def test_a_full_disk_is_named_and_stops_nothing(tmp_path: Path, tiny: str) -> None:
    full = """
import errno, pathlib
def write_bytes(path, content): raise OSError(errno.ENOSPC, "No space left on device")
pathlib.Path.write_bytes = write_bytes
from noctagon.compiled import jit
"""
    prepare = tiny.replace("import tiny;", "jit.prepare('two functions', 'tiny'); import tiny;")
    done = python(full + prepare, NOCTAGON_CACHE_DIR=str(tmp_path))
    assert done.stdout == "84 2\n"
    line, why = done.stderr.splitlines()
    assert line.startswith("Compiling two functions, this one time only … done in")
    assert why.startswith("It cannot be kept for the next time: ")
    assert why.endswith("No space left on device")


def test_a_call_that_the_source_does_not_show_is_refused(tmp_path: Path, tiny: str) -> None:
    """Machine code is loaded callees first: a callee that is not seen would be missing in another process."""
    (tmp_path / "hidden.py").write_text(
        "from noctagon.compiled.jit import Int, compiled, entry\n"
        "from tiny import twice\n"
        "def pick():\n    hidden = twice\n    def call(x: Int) -> Int:\n        return hidden(x)\n    return call\n"
        "call = entry(pick())\n"
    )
    code = tiny.partition(";")[0] + f"; sys.path.insert(0, {str(tmp_path)!r}); import hidden; hidden.call(1)"
    with pytest.raises(subprocess.CalledProcessError) as refused:
        python(code, NOCTAGON_CACHE_DIR=str(tmp_path))
    assert "call calls twice, which its source does not name" in refused.value.stderr


def test_only_what_is_new_is_compiled(tmp_path: Path, tiny: str) -> None:
    assert [python(tiny, NOCTAGON_CACHE_DIR=str(tmp_path)).stdout for _ in range(2)] == ["84 2\n", "84 0\n"]


def test_python_may_call_a_function_that_is_meant_for_compiled_callers(tmp_path: Path, tiny: str) -> None:
    code = tiny.replace("tiny.four_times(21)", "tiny.four_times(21), tiny.twice(21), tiny.twice(4)")
    assert [python(code, NOCTAGON_CACHE_DIR=str(tmp_path)).stdout for _ in range(2)] == [
        "84 42 8 3\n",
        "84 42 8 0\n",
    ]


def test_a_damaged_file_of_machine_code_is_compiled_again(tmp_path: Path, tiny: str) -> None:
    python(tiny, NOCTAGON_CACHE_DIR=str(tmp_path))
    (kept,) = tmp_path.rglob("tiny.twice.*")
    whole = kept.read_bytes()
    for damaged in (b"", b"x", whole[: len(whole) // 2], whole[:-1] + bytes([whole[-1] ^ 1])):
        kept.write_bytes(damaged)
        assert python(tiny, NOCTAGON_CACHE_DIR=str(tmp_path)).stdout == "84 1\n"


def test_interrupted_compiling_leaves_what_was_done(tmp_path: Path, tiny: str) -> None:
    interrupt = tiny.replace(
        "import tiny;",
        """
def raise_at(what, done, total):
    if done == 1: raise KeyboardInterrupt
from noctagon.compiled import jit
jit.watchers.append(raise_at)
try: jit.prepare("", "tiny")
except KeyboardInterrupt: jit.watchers.clear()
import tiny;""",
    )
    assert python(interrupt, NOCTAGON_CACHE_DIR=str(tmp_path)).stdout == "84 2\n"
    assert python(tiny, NOCTAGON_CACHE_DIR=str(tmp_path)).stdout == "84 0\n"


def test_processes_that_start_together_share_the_work(tmp_path: Path) -> None:
    """Each function is compiled by one of them, and both have all of them in the end."""
    code = f"{COMPILED}\n{COUNT}; print(Counter.count)"
    variables = {**os.environ, "NOCTAGON_CACHE_DIR": str(tmp_path), ALONE: "1"}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", code], env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        for _ in range(2)
    ]
    answers = [process.communicate()[0].split() for process in both]
    alone = python(
        f"{COMPILED}\n{COUNT}; print(Counter.count)",
        **{ALONE: "1", "NOCTAGON_CACHE_DIR": str(tmp_path / "other")},
    )
    assert [answer[0] for answer in answers] == [b"18738", b"18738"]
    ours = len(list(tmp_path.glob("noctagon-kernels/*/noctagon.*")))
    assert ours == len(list((tmp_path / "other").glob("noctagon-kernels/*/noctagon.*")))
    assert max(int(answer[1]) for answer in answers) < int(alone.stdout.split()[1])


def test_an_edit_of_a_kernel_changes_the_folder_and_of_another_file_does_not(tmp_path: Path) -> None:
    package = tmp_path / "noctagon"
    shutil.copytree(Path(noctagon.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))

    def folder() -> str:
        return python(FOLDER, PYTHONPATH=str(tmp_path), NOCTAGON_CACHE_DIR=str(tmp_path / "cache")).stdout

    before = folder()
    for other in ("cli/play.py", "games/wargame/rules/notation.py", "games/vampires/players/progression.py"):
        with (package / other).open("a") as file:
            file.write("# a comment\n")
    assert folder() == before
    with (package / "games" / "wargame" / "rules" / "tables.py").open("a") as file:
        file.write("# a comment\n")
    assert folder() != before


def test_old_folders_of_ours_are_pruned_and_nobody_elses(tmp_path: Path) -> None:
    base = tmp_path / "noctagon-kernels"
    base.mkdir()
    for age in range(10):
        old = base / f"{age:016x}"
        old.mkdir()
        os.utime(old, (1_000_000 - age, 1_000_000 - age))
    for stranger in (tmp_path / "thesis", base / "thesis"):
        stranger.mkdir()
        os.utime(stranger, (0, 0))
    (base / "broken link").symlink_to("nowhere")
    current = python(FOLDER, NOCTAGON_CACHE_DIR=str(tmp_path)).stdout.strip()
    ours = {f"{age:016x}" for age in range(cache.KEPT_FOLDERS - 1)}
    assert {path.name for path in base.iterdir()} == {Path(current).name, "thesis", "broken link", *ours}
    assert (tmp_path / "thesis").is_dir()


def test_a_folder_that_another_process_may_be_writing_to_is_not_pruned(tmp_path: Path) -> None:
    in_use = [tmp_path / "noctagon-kernels" / f"{number:016x}" for number in range(2 * cache.KEPT_FOLDERS)]
    for used in in_use:
        used.mkdir(parents=True)
    python(FOLDER, NOCTAGON_CACHE_DIR=str(tmp_path))
    assert all(used.is_dir() for used in in_use)


@pytest.mark.parametrize("module", ["noctagon.cli", "noctagon.games.vampires", "noctagon.games.wargame"])
def test_importing_does_not_import_numba(module: str) -> None:
    code = f"import sys, {module}; print([name for name in ('numba', 'fastapi') if name in sys.modules])"
    assert python(code).stdout == "[]\n"


def marked_subset(*options: str, **environment: str) -> int:
    """Run the tests marked `kernel` in a process of their own and return how many passed, or were collected."""
    command = [sys.executable, "-m", "pytest", "-m", "kernel", "-n", "0", "-p", "no:cacheprovider", *options]
    env = {**os.environ, **environment}
    env.pop("PYTEST_XDIST_WORKER", None)
    files = [
        path for path in sorted(ROOT.glob("tests/**/test_*.py")) if "mark.kernel" in path.read_text("utf-8")
    ]
    done = subprocess.run([*command, *files], env=env, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-3000:]
    return int(re.findall(r"(\d+)(?:/\d+ tests collected| passed)", done.stdout)[-1])


@pytest.mark.parametrize(
    "mode",
    [{"NUMBA_DISABLE_JIT": "1"}, {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "1"}],
    ids=["plain", "bounds"],
)
def test_the_marked_subset_passes_plain_and_with_bounds_checks(mode: dict[str, str], tmp_path: Path) -> None:
    collected = marked_subset("--collect-only")
    assert collected > 10
    assert marked_subset(**mode, NOCTAGON_CACHE_DIR=str(tmp_path)) == collected
