"""How many calls to one model may be in flight: as many as allowed, fewer when the provider complains.

Additive increase, multiplicative decrease: a refusal halves the number, each round without one adds a call again, up
to what the run allows. It sends nothing, retries nothing, and belongs to one event loop.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from lemaj_core.errors import SettingsError
from lemaj_core.models.waiting import pause


class Throttle:
    """A limit on calls in flight that adapts.

    Parameters
    ----------
    most : int
        Calls in flight that the user allows, >= 1; where it starts and what it never passes.
    gap : float
        Seconds between two starts. A burst of starts makes every call of the burst wait for the others' handshakes.
    clock, sleep : callable
        Time and waiting, exchangeable in tests.
    """

    def __init__(
        self,
        most: int,
        *,
        gap: float = 0.003,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = pause,
    ):
        if most < 1:
            raise SettingsError(f"{most} calls in flight are allowed; there must be at least 1")
        self.most = most
        self.in_flight = 0
        self._allowed = float(most)
        self._gap = gap
        self._clock = clock
        self._sleep = sleep
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._not_before = 0.0
        self._next_start = 0.0
        self._last_cut = float("-inf")

    @property
    def allowed(self) -> int:
        """Calls that may be in flight now, from 1 to ``most``."""
        return int(self._allowed)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for a free place and hold it; gives the time of the start, which :meth:`complained` wants back."""
        while self.in_flight >= self.allowed:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._wake()  # the place that was offered to this one goes to the next
                raise
        self.in_flight += 1
        try:
            await self._start()
            yield self._clock()
        finally:
            self.in_flight -= 1
            self._wake()

    async def _start(self) -> None:
        while (now := self._clock()) < (start := max(self._not_before, self._next_start)):
            if self._not_before <= now:
                self._next_start = start + self._gap
                await self._sleep(start - now)
                return
            await self._sleep(self._not_before - now)
        self._next_start = now + self._gap

    def _wake(self) -> None:
        free = self.allowed - self.in_flight
        while free > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1

    def succeeded(self) -> None:
        """Take note of a reply: after about as many replies as are allowed in flight, one more is allowed."""
        self._allowed = min(self.most, self._allowed + 1 / self._allowed)
        self._wake()

    def complained(self, started: float, wait: float | None = None) -> None:
        """Take note of a refusal for being too fast.

        Parameters
        ----------
        started : float
            When the refused call started. A call that was under way before the last cut says nothing new.
        wait : float or None
            Seconds for which the provider wants no call at all; every start waits for them.
        """
        now = self._clock()
        if started >= self._last_cut:
            self._allowed = max(1.0, self._allowed / 2)
            self._last_cut = now
        if wait:
            self._not_before = max(self._not_before, now + wait)
