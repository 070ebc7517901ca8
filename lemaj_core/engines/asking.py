"""How an answer asks a model: from the ledger where it was asked before, else by a call that is kept before it is used.

This is where a run survives being killed: a reply that was stored is never asked for again, a failed call of a worker
that died counts as failed, and nothing is sent after a cancellation or beyond the spend cap.
"""

import asyncio
from collections.abc import Iterable
from weakref import WeakValueDictionary

from lemaj_core.engines.budget import Budget
from lemaj_core.engines.halt import Halt, Stopped, Why
from lemaj_core.errors import CallFailed, SpendCapReached
from lemaj_core.judge import Call
from lemaj_core.models.secrets import scrubbed
from lemaj_core.models.waiting import looking
from lemaj_core.store import PastCall, Store
from lemaj_core.types import FailureKind, Reply, Request


class Lane:
    """What answers that run in one event loop share."""

    def __init__(self, store: Store, run_id: str, halt: Halt, budget: Budget, concurrency: int):
        self.store, self.run_id, self.halt, self.budget = store, run_id, halt, budget
        self.limit = asyncio.Semaphore(concurrency)
        self.asked: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


class Asking:
    """The ``ask`` of one answer.

    Parameters
    ----------
    lane : Lane
        What it shares with the other answers.
    item_id, judge : str
        The answer and who judges it.
    attempt : int
        The number of earlier failed tries of this answer.
    past : iterable of PastCall
        The calls an earlier worker made for this answer.
    """

    def __init__(self, lane: Lane, item_id: str, judge: str, attempt: int, past: Iterable[PastCall] = ()):
        self._lane, self._item_id, self._judge, self._attempt = lane, item_id, judge, attempt
        self._failed = {call.key: call for call in past if call.failure and call.attempt == attempt}
        self._noted = {call.key for call in past if not call.failure}
        self.keys: dict[str, None] = {}
        self.stopped = False

    async def ask(self, request: Request, call: Call) -> Reply:
        """Answer a request from the ledger, or send it and keep what comes back.

        Raises
        ------
        CallFailed
            If the call failed, now or in the worker before.
        Stopped, SpendCapReached
            If the run is to stop; the answer stays due.
        """
        key = request.key()
        self.keys[key] = None
        if key in self._failed:
            past = self._failed[key]
            raise CallFailed(past.failure or FailureKind.INTERNAL, past.reason or "")
        # two equal answers ask once: the second waits and finds the reply of the first
        async with self._lane.asked.setdefault(key, asyncio.Lock()):
            cancelled, known = self._lane.store.look(self._lane.run_id, key)
            self._lane.halt.saw(cancelled)
            if known is None:
                return await self._send(request, key, call)
            if key not in self._noted:
                self._keep(request, key, known, cached=True)
            return known

    async def _send(self, request: Request, key: str, call: Call) -> Reply:
        async with self._lane.limit:
            self._go_on()
            try:
                reserved = await self._lane.budget.reserve(request)
            except SpendCapReached as error:
                self.stopped = True
                self._lane.halt.stop(Why.CAPPED, error)
                raise
            cost = None
            try:
                self._go_on()
                with looking(self._go_on):
                    reply = await call(request)
                cost = reply.cost
                return self._keep(request, key, reply)
            except CallFailed as error:
                self._lose(request, key, error)
                raise
            except Stopped:
                raise
            except Exception as error:
                self._lose(request, key, CallFailed(FailureKind.INTERNAL, scrubbed(f"{type(error).__name__}: {error}")))
                raise
            finally:
                self._lane.budget.settle(request, reserved, cost)

    def _go_on(self) -> None:
        if self._lane.halt.reached():
            self.stopped = True
            raise Stopped("the run is to stop")

    def _keep(self, request: Request, key: str, reply: Reply, *, cached: bool = False) -> Reply:
        self._noted.add(key)
        kept = self._lane.store.add_call(
            self._lane.run_id,
            request,
            reply,
            cached=cached,
            item_id=self._item_id,
            judge=self._judge,
            attempt=self._attempt,
            key=key,
        )
        return kept or reply

    def _lose(self, request: Request, key: str, failure: CallFailed) -> None:
        self._lane.store.add_call(
            self._lane.run_id,
            request,
            failure=failure,
            item_id=self._item_id,
            judge=self._judge,
            attempt=self._attempt,
            key=key,
        )
