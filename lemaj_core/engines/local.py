"""Executes due answers on this machine: model calls side by side in one event loop, heavy computing in one thread.

It knows no judge and no store; it is given what is due and a coroutine that does one.
"""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import Any, NamedTuple

SPREAD_SECONDS = 0.003  # starts in one burst keep a model client busy with handshakes; spread they cost nothing


log = logging.getLogger(__name__)


class Due(NamedTuple):
    """An answer to be judged."""

    item_id: str
    judge: str


Work = Callable[[Due], Awaitable[None]]
"""Does one answer; it must not raise for what concerns that answer only."""


def execute(
    waiting: Sequence[Due],
    computing: Sequence[Due],
    *,
    concurrency: int,
    start: Callable[[int], Work],
    halted: Callable[[], bool],
    broken: Callable[[Exception], None],
    tick: Callable[[], None] | None = None,
    tick_seconds: float = 0.5,
) -> None:
    """Do everything that is due, or stop early when ``halted``.

    Parameters
    ----------
    waiting, computing : sequence of Due
        Answers whose judge waits for a model elsewhere, and those whose judge computes here.
    concurrency : int
        How many waiting answers are in hand at once.
    start : callable
        Called once in each event loop with the number of answers in hand there; gives the coroutine that does one.
    halted : callable
        Looked at before each answer.
    broken : callable
        Told what went wrong with the worker itself, so that ``halted`` becomes true everywhere.
    tick : callable, optional
        Called about every ``tick_seconds`` while the work goes on.
    """

    async def lane(due: Sequence[Due], width: int) -> None:
        do = start(width)
        source = iter(due)
        await asyncio.gather(*(one(source, do, number) for number in range(min(width, len(due)))))

    async def one(source: Iterable[Due], do: Work, number: int) -> None:
        await asyncio.sleep(number * SPREAD_SECONDS)
        try:
            for due in source:
                if halted():
                    return
                await do(due)
        except Exception as error:
            broken(error)

    async def everything() -> None:
        ticking = asyncio.create_task(beat())
        lanes: list[Awaitable[None]] = []
        if waiting:
            lanes.append(lane(waiting, concurrency))
        if computing:
            lanes.append(asyncio.to_thread(lambda: asyncio.run(lane(computing, 1))))
        try:
            await asyncio.gather(*lanes)
        except asyncio.CancelledError:
            broken(InterruptedError("stopped from the keyboard"))
            raise
        finally:
            ticking.cancel()
            await asyncio.gather(ticking, return_exceptions=True)

    async def beat() -> None:
        while tick is not None:
            await asyncio.sleep(tick_seconds)
            try:
                tick()
            except Exception:
                log.exception("progress could not be told; the work goes on without it")
                return

    _run(everything())


def _run(main: Coroutine[Any, Any, None]) -> None:
    """Run to the end, in a thread of its own where an event loop is running already (a notebook)."""
    if not _in_a_loop():
        asyncio.run(main)
        return
    failures: list[BaseException] = []

    def body() -> None:
        try:
            asyncio.run(main)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=body, name="evaluate")
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
