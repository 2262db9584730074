"""What a command and all it starts may use: memory, processor time, processes, what it writes and prints."""

import asyncio
import re
from pathlib import Path

import pytest

from noctagon.core.limits import Limits
from noctagon.processes import launcher
from noctagon.processes.launch import launch_talking
from tests.remote.test_launcher import linux, python, to_its_end


@linux
def test_too_much_memory(tmp_path: Path) -> None:
    hog = "import time; held = bytearray(400 << 20); time.sleep(600)"
    launched = to_its_end(python(hog), tmp_path / "log", Limits(memory=100))
    assert launched.code == launcher.OVER_MEMORY
    assert launched.reason.endswith("MiB of memory, over 100")


@linux
def test_too_much_memory_by_all_together(tmp_path: Path) -> None:
    hogs = "import os, time\nfor _ in range(3): os.fork()\nheld = bytearray(40 << 20)\ntime.sleep(600)"
    assert to_its_end(python(hogs), tmp_path / "log", Limits(memory=200)).code == launcher.OVER_MEMORY


@linux
def test_memory_that_is_shared_counts_once(tmp_path: Path) -> None:
    shared = "import os, time\nheld = bytearray(60 << 20)\nfor _ in range(2): os.fork()\ntime.sleep(1)"
    assert to_its_end(python(shared), tmp_path / "log", Limits(memory=150)).code == 0


@linux
def test_too_much_processor_time(tmp_path: Path) -> None:
    launched = to_its_end(python("while True: pass"), tmp_path / "log", Limits(cpu=0.5))
    assert launched.code == launcher.OVER_CPU
    assert launched.reason.endswith("s of processor time, over 0.5")
    assert launched.cpu_seconds() > 0.5


@linux
def test_processor_time_of_children_that_are_gone_counts(tmp_path: Path) -> None:
    forker = (
        "import os, time\nwhile True:\n    if os.fork() == 0:\n        end = time.process_time() + 0.1\n"
        "        while time.process_time() < end: pass\n        os._exit(0)\n    os.wait()"
    )
    assert to_its_end(python(forker), tmp_path / "log", Limits(cpu=0.6)).code == launcher.OVER_CPU


@linux
def test_too_many_processes(tmp_path: Path) -> None:
    many = "import os, time\nfor _ in range(12):\n    if os.fork() == 0: break\ntime.sleep(600)"
    launched = to_its_end(python(many), tmp_path / "log", Limits(processes=8))
    assert (launched.code, launched.reason) == (launcher.OVER_PROCESSES, "it had 13 processes, over 8")


FILL = """
import os, sys
for number in range(40):
    with open(f"{sys.argv[1]}/{number}", "wb") as file:
        file.write(bytes(2**20))
print("forty")
"""


@linux
def test_too_much_written(tmp_path: Path) -> None:
    launched = to_its_end(python(FILL, tmp_path), tmp_path / "log", Limits(disk=8))
    assert launched.code == launcher.OVER_DISK
    assert re.fullmatch(r"it wrote \d+ MiB, over 8", launched.reason)
    assert to_its_end(python(FILL, tmp_path), tmp_path / "log", Limits(disk=50)).code == 0


@linux
@pytest.mark.parametrize("parting", ["os.wait()", "time.sleep(0.5)"], ids=["collects", "does not"])
def test_what_children_that_are_gone_wrote_counts(tmp_path: Path, parting: str) -> None:
    forker = (
        "import os, signal, sys, time\n"
        f"signal.signal(signal.SIGCHLD, signal.{'SIG_DFL' if 'wait' in parting else 'SIG_IGN'})\n"
        "for _ in range(20):\n    if os.fork() == 0:\n"
        "        with open(sys.argv[1], 'wb') as file: file.write(bytes(3 * 2**20))\n"
        f"        time.sleep(0.5); os._exit(0)\n    {parting}"
    )
    assert (
        to_its_end(python(forker, tmp_path / "it"), tmp_path / "log", Limits(disk=8)).code
        == launcher.OVER_DISK
    )


@linux
def test_no_single_file_may_be_larger(tmp_path: Path) -> None:
    """The kernel itself sees to it, between two looks as well."""
    file = tmp_path / "large"
    code = "import os, sys; os.ftruncate(os.open(sys.argv[1], os.O_CREAT | os.O_RDWR), 9 << 20)"
    assert to_its_end(python(code, file), tmp_path / "log", Limits(disk=8)).code == 1
    assert "File too large" in (tmp_path / "log").read_text()
    by_signal = ["/bin/sh", "-c", f"exec dd if=/dev/zero of={file} bs=1M seek=8 count=1 2>/dev/null"]
    launched = to_its_end(by_signal, tmp_path / "log", Limits(disk=8))
    assert (launched.code, launched.reason) == (
        launcher.OVER_DISK,
        "it wrote a file of 8 MiB, which is the most it may",
    )


@linux
def test_a_flood_is_ended_and_its_log_stays_small(tmp_path: Path) -> None:
    flood = "print('first')\nwhile True: print('x' * 1000)"
    launched = to_its_end(python(flood), tmp_path / "log", Limits(disk=8))
    assert launched.code == launcher.OVER_DISK
    assert (tmp_path / "log").stat().st_size < 2 * launcher.LOG_BYTES + 100
    assert (tmp_path / "log").read_bytes().startswith(b"first\n")


def test_of_a_long_log_the_middle_is_left_out(tmp_path: Path) -> None:
    to_its_end(python("for number in range(100_000): print(number)"), tmp_path / "log")
    lines = (tmp_path / "log").read_text("utf-8").splitlines()
    assert lines[:3] == ["0", "1", "2"]
    assert lines[-1] == "99999"
    kept = 2 * launcher.LOG_BYTES
    assert f"[… {sum(len(str(n)) + 1 for n in range(100_000)) - kept} bytes are left out here …]" in lines


@linux
def test_each_game_of_a_talk_has_the_whole_of_the_limits(tmp_path: Path) -> None:
    eater = (
        "import time\nwhile input():\n    end = time.process_time() + 0.4\n"
        "    while time.process_time() < end: pass\n    print('done', flush=True)"
    )

    async def games(*, anew: bool) -> int | None:
        talking = await launch_talking(python(eater), limits=Limits(cpu=0.7))
        for _ in range(4):
            talking.writer.write(b"game\n")
            if not await talking.reader.readline():
                break
            if anew:
                talking.begin_game()
        code = talking.code
        await talking.end()
        return talking.code if code is None else code

    assert asyncio.run(games(anew=True)) == launcher.ENDED
    assert asyncio.run(games(anew=False)) == launcher.OVER_CPU
