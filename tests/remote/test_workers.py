"""Calls in a worker process: what crosses, what is refused, and what happens to a call that is given up."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Generator, Iterator
from typing import NamedTuple

import msgspec
import pytest

from noctagon.core.game import NoctagonError
from noctagon.processes.calls import Call
from noctagon.processes.worker_pool import Busy, WorkerPool
from noctagon.processes.workers import CallFailed, CallRefused, Worker


class Cell(NamedTuple):
    x: int
    y: int


class Shape(msgspec.Struct, frozen=True):
    name: str
    cells: tuple[Cell, ...]
    data: bytes = b""


def mirrored(shape: Shape, *, note: str = "") -> Shape:
    print("between the messages?", note)
    os.write(1, b"or here?")
    cells = tuple(Cell(cell.y, cell.x) for cell in shape.cells)
    return msgspec.structs.replace(shape, cells=cells, data=shape.data[::-1])


def countdown(start: int, seconds: float = 0.0) -> Generator[int, None, str]:
    for number in range(start, 0, -1):
        yield number
        time.sleep(seconds)
    return "lift-off"


def letters(word: str) -> Iterator[str]:
    return iter(word)


def refuse(why: str) -> None:
    raise NoctagonError(why)


def divide(first: int, second: int) -> float:
    return first / second


def promise() -> int:
    return "a text"  # type: ignore[return-value] # on purpose


def input_text() -> str:
    return sys.stdin.read()


SHAPE = Shape("corner", (Cell(0, 1), Cell(2, 3)), b"\x00\xff")


def test_a_call_names_its_function_and_is_equal_by_what_it_asks() -> None:
    call = Call(divide, 1, second=2)
    assert call.function == f"{__name__}:divide"
    assert call == Call(divide, first=1, second=2)
    assert hash(call) == hash(Call(divide, 1, 2))
    assert call != Call(divide, 2, 1)


def test_what_cannot_be_sent_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(NoctagonError, match="cannot be read"):
        Call(divide, 2**70, 1)
    with pytest.raises(NoctagonError, match="cannot be read"):
        Call(refuse, "\ud800")
    with pytest.raises(TypeError, match="Missing required argument"):
        Call(divide, 1)  # type: ignore[call-arg] # mypy sees it too


async def read_by_mypy_alone(worker: Worker) -> None:
    """Mypy sees the arguments and the result of a call: without these errors it would report the comments."""
    text: str = await worker.ask(Call(divide, 1, 2))  # type: ignore[arg-type] # it is a float
    await worker.ask(Call(divide, "1", 2))  # type: ignore[arg-type]
    async for letter in worker.stream(Call(letters, "ab")):
        print(letter + text)
    worker.stream(Call(divide, 1, 2))  # type: ignore[arg-type] # it is no generator


def test_values_come_back_as_what_they_were() -> None:
    async def scenario() -> None:
        worker = await Worker.start()
        assert await worker.ask(Call(mirrored, SHAPE, note="a note")) == Shape(
            "corner", (Cell(1, 0), Cell(3, 2)), b"\xff\x00"
        )
        heard: list[int] = []
        assert await worker.follow(Call(countdown, 3), heard.append) == "lift-off"
        assert heard == [3, 2, 1]
        assert [letter async for letter in worker.stream(Call(letters, "abc"))] == ["a", "b", "c"]
        assert await worker.ask(Call(input_text)) == ""
        with pytest.raises(CallRefused, match=r"^not so$") as refused:
            await worker.ask(Call(refuse, "not so"))
        assert isinstance(refused.value, NoctagonError)
        with pytest.raises(CallFailed, match="ZeroDivisionError") as failed:
            await worker.ask(Call(divide, 1, 0))
        assert "ZeroDivisionError: division by zero" in failed.value.line
        with pytest.raises(CallFailed, match="cannot be read: Expected `int`"):
            await worker.ask(Call(promise))
        assert await worker.ask(Call(divide, 1, 2)) == 0.5  # none of this ended it
        await worker.end()
        with pytest.raises(CallFailed, match="a worker process ended"):
            await worker.ask(Call(divide, 1, 2))

    asyncio.run(scenario())


def test_the_answer_to_a_call_that_was_given_up_is_dropped() -> None:
    async def scenario() -> None:
        worker = await Worker.start()
        begun = asyncio.Event()
        slow = asyncio.create_task(worker.follow(Call(countdown, 5, seconds=0.1), lambda number: begun.set()))
        await begun.wait()
        slow.cancel()
        await asyncio.wait({slow})
        heard: list[int] = []
        assert await worker.follow(Call(countdown, 2), heard.append) == "lift-off"
        assert heard == [2, 1]
        await worker.end()

    asyncio.run(scenario())


def test_a_pool_ends_a_process_that_takes_too_long_and_goes_on_with_another() -> None:
    async def scenario() -> None:
        pool = WorkerPool(1, (), queue=1)
        assert await pool.ask(Call(divide, 1, 2), seconds=60.0) == 0.5
        (worker,) = pool._idle
        places: list[int] = []
        stream = pool.stream(Call(countdown, 9, seconds=600.0), seconds=0.5, moved=places.append)
        assert await anext(stream) == 9
        waiting = asyncio.create_task(pool.ask(Call(divide, 3, 2), seconds=60.0))
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="too much"):
            await pool.ask(Call(divide, 1, 2), seconds=60.0)
        with pytest.raises(CallFailed, match=r"nothing was found in 0\.5 s"):
            await anext(stream)
        assert not worker.alive
        assert await waiting == 1.5
        assert places == []
        await pool.close()

    asyncio.run(scenario())
