"""Waiting that can be called off: a cancelled run must not sit out a provider's five minutes first.

Whoever sends a call may say what to look at meanwhile; nothing here knows what a run is.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_SLICE_SECONDS = 0.5

_look: ContextVar[Callable[[], None] | None] = ContextVar("_look", default=None)


@contextmanager
def looking(check: Callable[[], None]) -> Iterator[None]:
    """Have ``check`` called about twice a second during every :func:`pause` inside; what it raises ends the wait."""
    token = _look.set(check)
    try:
        yield
    finally:
        _look.reset(token)


async def pause(seconds: float) -> None:
    """Sleep, unless the check of :func:`looking` raises."""
    check = _look.get()
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    while check is not None and end - clock() > _SLICE_SECONDS:
        await asyncio.sleep(_SLICE_SECONDS)
        check()
    await asyncio.sleep(max(0.0, end - clock()))
