"""The spend cap: no call is sent that could pass it. It counts what calls cost and what those in flight could cost."""

import asyncio
from collections.abc import Callable, Mapping

from lemaj_core.errors import SpendCapReached
from lemaj_core.types import Request

LOOK_AGAIN_SECONDS = 0.02


class Budget:
    """What a run may still spend.

    Parameters
    ----------
    cap : float or None
        In USD; None for no limit.
    spent : float
        What the calls of the run cost so far, over all its workers.
    dearest : mapping of str to float
        The highest price paid for one call, by model.
    bound : callable
        An upper estimate of the price of a request, 0 where nothing is known.
    """

    def __init__(
        self, cap: float | None, spent: float, dearest: Mapping[str, float], bound: Callable[[Request], float]
    ):
        self._cap, self._spent, self._bound = cap, spent, bound
        self._dearest = dict(dearest)
        self._reserved = 0.0
        self._in_flight = 0

    async def reserve(self, request: Request) -> float:
        """Set aside what the request could cost, waiting for calls in flight if they may turn out cheaper.

        Raises
        ------
        SpendCapReached
            If the request could pass the cap whatever the others cost.
        """
        if self._cap is None:
            self._in_flight += 1
            return 0.0
        price = max(self._bound(request), self._dearest.get(request.model, 0.0))
        while self._spent >= self._cap or self._spent + self._reserved + price > self._cap:
            if not self._in_flight:
                raise SpendCapReached(
                    f"{self._spent:.4f} USD of {self._cap:.4f} are spent and the next call may cost {price:.4f}; "
                    "raise the cap and resume"
                )
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
        self._reserved += price
        self._in_flight += 1
        return price

    def settle(self, request: Request, reserved: float, cost: float | None) -> None:
        """Replace what was set aside by what the call cost."""
        self._in_flight -= 1
        self._reserved -= reserved
        self._spent += cost or 0.0
        self._dearest[request.model] = max(self._dearest.get(request.model, 0.0), cost or 0.0)
