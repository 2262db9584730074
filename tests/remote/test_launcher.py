"""Somebody's command: kept within its limits, gone with all it has started when the game ends or when we do."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from noctagon.core.game import NoctagonError
from noctagon.core.limits import USUAL, Limits
from noctagon.processes import launcher
from noctagon.processes import system as process
from noctagon.processes.launch import Launched, launch, launch_talking

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere best effort")
DEADLINE = 30.0

FAMILY = """
import os, sys, time
def note():
    with open(sys.argv[1], "a") as file:
        file.write(f"{os.getpid()}\\n")
note()
for _ in range(3):                          # children that stay
    if os.fork() == 0:
        note(); time.sleep(600)
if os.fork() == 0:                          # one that leaves: a session of its own, and no parent
    os.setsid()
    if os.fork() == 0:
        note(); time.sleep(600)
    os._exit(0)
time.sleep(600)
"""
FAMILY_SIZE = 5


def python(code: str, *arguments: object) -> list[str]:
    return [sys.executable, "-c", code, *map(str, arguments)]


def running(pid: int) -> bool:
    """Whether a process runs: one that only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def by_deadline(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + DEADLINE
    while not (held := holds()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return held


def pids_in(file: Path, count: int) -> list[int]:
    """The process numbers a family has written down, once all have."""
    assert by_deadline(lambda: file.exists() and file.read_text().count("\n") == count)
    return [int(line) for line in file.read_text().split()]


def to_its_end(command: list[str], log: Path, limits: Limits = USUAL) -> Launched:
    async def play() -> Launched:
        launched = await launch(command, log=log, limits=limits)
        async with asyncio.timeout(DEADLINE):
            await launched.wait()
        await launched.end()
        return launched

    return asyncio.run(play())


def test_what_it_prints_is_in_the_log_as_it_was(tmp_path: Path) -> None:
    log = tmp_path / "bot.log"
    log.write_bytes(b"before\n")
    talk = "import sys; sys.stdout.buffer.write(b'out\\xff\\0'); sys.stdout.flush(); sys.stderr.write('err')"
    to_its_end(python(talk), log)
    assert log.read_bytes() == b"before\nout\xff\0err"


def test_an_open_file_is_a_log_too(tmp_path: Path) -> None:
    with (tmp_path / "bot.log").open("w+b") as log:

        async def play() -> None:
            launched = await launch(python("print('hello')"), log=log)
            await launched.wait()

        asyncio.run(play())
        log.seek(0)
        assert log.read() == b"hello\n"


@pytest.mark.parametrize("code", [0, 1, 7, 255])
def test_its_exit_code_is_passed_on(tmp_path: Path, code: int) -> None:
    launched = to_its_end(python(f"raise SystemExit({code})"), tmp_path / "log")
    assert (launched.code, launched.reason) == (code, f"it ended with exit code {code}")


@linux
def test_a_command_that_is_killed_says_by_what(tmp_path: Path) -> None:
    launched = to_its_end(python("import os; os.kill(os.getpid(), 11)"), tmp_path / "log")
    assert (launched.code, launched.reason) == (139, "it was killed by SIGSEGV")


def test_arguments_arrive_as_they_are(tmp_path: Path) -> None:
    arguments = ["--cpu", "1", "--", "", "a b", "§", "127.0.0.1", "5555"]
    log = tmp_path / "log"
    to_its_end(python("import sys; print(sys.argv[1:])", *arguments), log)
    assert log.read_text("utf-8").strip() == str(arguments)


def test_folder_and_environment(tmp_path: Path) -> None:
    async def play() -> None:
        code = "import os; print(os.getcwd(), os.environ['NOCTAGON_TEST'])"
        launched = await launch(
            python(code), log=tmp_path / "log", cwd=tmp_path, env={**os.environ, "NOCTAGON_TEST": "yes"}
        )
        assert await launched.wait() == 0

    (tmp_path / "signal.py").write_text("raise RuntimeError('a bot folder must not change the launcher')")
    asyncio.run(play())
    assert (tmp_path / "log").read_text().split() == [str(tmp_path), "yes"]


@pytest.mark.parametrize(
    ("command", "cwd", "message"),
    [
        (["no-such-command-here", "x"], None, "command not found: no-such-command-here"),
        ([str(Path(__file__).parent)], None, "not allowed to run"),
        (python("pass"), "/no/such/folder", "there is no folder /no/such/folder"),
        ([], None, "the command is empty"),
        (["a\0b"], None, "null"),
    ],
)
@linux
def test_a_command_that_cannot_be_started(
    tmp_path: Path, command: list[str], cwd: str | None, message: str
) -> None:
    with pytest.raises(NoctagonError, match=message):
        asyncio.run(launch(command, log=tmp_path / "log", cwd=cwd))


@linux
def test_a_talk_is_ended_with_the_family_and_tells_how(tmp_path: Path) -> None:
    async def play() -> tuple[str, str, bytes]:
        talking = await launch_talking(python("print(input()); import os; os.write(2, b'no'); os.abort()"))
        talking.writer.write(b"hello\n")
        heard = (await talking.reader.readline()).decode()
        async with asyncio.timeout(DEADLINE):
            await talking.wait()
        family = await launch_talking(python(FAMILY, tmp_path / "pids"))
        pids = await asyncio.to_thread(pids_in, tmp_path / "pids", FAMILY_SIZE)
        assert all(map(running, pids))
        await family.end()
        assert not any(map(running, pids))
        assert (family.code, family.reason) == (launcher.ENDED, "it was ended")
        return heard, talking.reason, bytes(talking.printed)

    assert asyncio.run(play()) == ("hello\n", "it was killed by SIGABRT", b"no")


@linux
def test_processor_time_is_told_while_it_runs(tmp_path: Path) -> None:
    async def play() -> None:
        launched = await launch(python("while True: pass"), log=tmp_path / "log")
        first = launched.cpu_seconds()
        async with asyncio.timeout(DEADLINE):
            while launched.cpu_seconds() < first + 0.2:
                await asyncio.sleep(0.01)
        before = launched.cpu_seconds()
        await launched.end()
        assert launched.cpu_seconds() >= before

    asyncio.run(play())


@linux
def test_the_whole_family_ends_with_the_game(tmp_path: Path) -> None:
    async def play() -> list[int]:
        launched = await launch(python(FAMILY, tmp_path / "pids"), log=tmp_path / "log")
        family = await asyncio.to_thread(pids_in, tmp_path / "pids", FAMILY_SIZE)
        assert all(map(running, family))
        assert launched.pid in family
        await launched.end()
        assert (launched.code, launched.reason) == (launcher.ENDED, "it was ended")
        await launched.end()  # once more is no matter
        return family

    assert not any(map(running, asyncio.run(play())))


@linux
def test_what_a_command_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    until_all_are_there = f"while open(sys.argv[1]).read().count('\\n') < {FAMILY_SIZE}: time.sleep(0.01)\n"
    code = FAMILY.removesuffix("time.sleep(600)\n") + until_all_are_there + "raise SystemExit(3)"
    assert to_its_end(python(code, tmp_path / "pids"), tmp_path / "log").code == 3
    assert not any(map(running, pids_in(tmp_path / "pids", FAMILY_SIZE)))


@linux
def test_it_may_end_by_itself_when_told_so_otherwise(tmp_path: Path) -> None:
    async def play() -> None:
        launched = await launch(python("import time; time.sleep(0.2)"), log=tmp_path / "log")
        await launched.end(grace=DEADLINE)
        assert launched.code == 0

    asyncio.run(play())


def test_one_that_nobody_listened_to_can_be_ended() -> None:
    """With so much unread asyncio stops reading, and does not see the end of it by itself."""
    talker = (
        "import sys, time; sys.stdout.write('x' * 200_000); sys.stdout.flush();"
        "print('said it all', file=sys.stderr, flush=True); time.sleep(600)"
    )

    async def play() -> None:
        talking = await launch_talking(python(talker))
        async with asyncio.timeout(DEADLINE):
            while b"said it all" not in talking.printed:
                await asyncio.sleep(0.01)
            await talking.end()
        assert (talking.code, talking.reason) == (launcher.ENDED, "it was ended")

    asyncio.run(play())


@linux
def test_ending_comes_to_an_end_even_if_somebody_keeps_the_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noctagon.processes.launch.END_SECONDS", 0.2)

    async def play() -> None:
        talking = await launch_talking(python("import time; time.sleep(600)"))
        with Path(f"/proc/{talking._launcher.pid}/fd/2").open("wb"):  # as one that got away would
            async with asyncio.timeout(DEADLINE):
                await talking.end()
        assert talking.code is not None

    asyncio.run(play())


REFEREE = """
import asyncio, os, sys, time
from pathlib import Path
from noctagon.processes.launch import launch
async def main():
    launched = await launch(sys.argv[3:], log=Path(sys.argv[1]))
    if sys.argv[2] == "forks" and os.fork() == 0:   # holds all our pipes
        Path(sys.argv[1]).with_name("forked").write_text(f"{os.getpid()}\\n")
        time.sleep(600)
    await launched.wait()
asyncio.run(main())
"""


@linux
@pytest.mark.parametrize("what", ["plays", "forks"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_whole_family_ends_when_we_are_killed(tmp_path: Path, how: signal.Signals, what: str) -> None:
    command = python(REFEREE, tmp_path / "log", what, *python(FAMILY, tmp_path / "pids"))
    with subprocess.Popen(command) as referee:
        try:
            forked = pids_in(tmp_path / "forked", 1) if what == "forks" else []
            family = pids_in(tmp_path / "pids", FAMILY_SIZE)
            family += filter(running, process.descendants(referee.pid).keys() - {*family, *forked})
            assert len(family) == FAMILY_SIZE + 1  # the launcher
        finally:
            referee.send_signal(how)
    try:
        assert by_deadline(lambda: not any(map(running, family)))
        assert all(map(running, forked))
    finally:
        for pid in forked:
            os.kill(pid, signal.SIGKILL)


@linux
def test_the_command_ends_when_its_launcher_is_killed(tmp_path: Path) -> None:
    async def play() -> None:
        launched = await launch(python("import time; time.sleep(600)"), log=tmp_path / "log")
        found = process.use(launched.pid)
        assert found is not None
        os.kill(found.parent, signal.SIGKILL)
        async with asyncio.timeout(DEADLINE):
            await launched.wait()
        assert launched.reason == "its launcher was killed"
        assert by_deadline(lambda: not running(launched.pid))

    asyncio.run(play())


@linux
def test_a_launch_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    others = set(process.descendants(os.getpid()))  # another test's server may run meanwhile

    def left() -> set[int]:
        return set(process.descendants(os.getpid())) - others

    async def play() -> None:
        task = asyncio.ensure_future(launch(python(FAMILY, tmp_path / "pids"), log=tmp_path / "log"))
        async with asyncio.timeout(DEADLINE):
            while not left():
                await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(play())
    assert by_deadline(lambda: not left())


def test_by_hand() -> None:
    command = [sys.executable, "-m", "noctagon.processes.launcher", "--cpu", "60", "--"]
    hello = python("print('hello'); raise SystemExit(5)")
    pipe = subprocess.PIPE
    with subprocess.Popen([*command, *hello], stdin=pipe, stdout=pipe, stderr=pipe) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        started, ended = run.stdout.read().decode().splitlines()
        assert run.stderr.read() == b"hello\n"
    assert run.returncode == 5
    assert started.startswith("started ")
    assert ended.startswith("ended 5 ")
    assert ended.endswith(" it ended with exit code 5")


def test_no_command_by_hand() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "noctagon.processes.launcher", "--cpu", "1"], capture_output=True
    )
    assert run.returncode == 2
    assert b"no command is given after --" in run.stderr


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_elsewhere_it_can_be_imported_and_does_what_it_can(platform: str) -> None:
    code = f"""
import asyncio, subprocess, sys, uvicorn            # what others do on another system is theirs
for name in ("resource", "fcntl", "pwd", "grp", "termios", "ctypes"):
    sys.modules[name] = None
sys.platform = {platform!r}
from noctagon.processes import launch as launched, launcher, system as process, worker_seat
from noctagon.games.wargame.wire import broker, http, relay
assert process.own_group()
process.adopt_orphans()
assert process.preparation(1.0, 1.0) is None
process.PROC = "/nowhere"
assert process.descendants(1) == {{}} and process.use(1) is None and process.cpu_seconds(1) is None
assert process.shared_out_memory([1]) is None and process.written(1) == 0
"""
    subprocess.run(python(code), check=True)


def test_the_launcher_starts_without_anything_heavy() -> None:
    code = (
        "import sys, noctagon.processes.launcher\n"
        "assert not {'numpy', 'numba', 'msgspec', 'asyncio', 'noctagon.core.game'} & set(sys.modules)"
    )
    subprocess.run(python(code), check=True)
