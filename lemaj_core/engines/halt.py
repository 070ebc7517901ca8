"""Why a worker stops before everything is judged, and the beat that shows it is alive."""

import os
import threading
import time
from enum import StrEnum
from types import TracebackType
from typing import Self

from lemaj_core.errors import LemajError, StoreError
from lemaj_core.store import Store

BEAT_SECONDS = 2.0
LOOK_SECONDS = 0.1  # between two looks that are not made for a call


class Why(StrEnum):
    """Why a worker stops early."""

    CANCELLED = "cancelled"
    CAPPED = "capped"
    LATE = "past its deadline"
    LOST = "lost"
    BROKEN = "broken"


class Stopped(LemajError):
    """The run is to stop; the answer in hand stays due."""


class Halt:
    """The one place where a worker looks whether to go on; safe to use from several threads.

    ``deadline`` counts minutes from now.
    """

    def __init__(self, store: Store, run_id: str, deadline: float | None = None):
        self._store, self._run_id = store, run_id
        self._end = float("inf") if deadline is None else time.monotonic() + 60 * deadline
        self._lock = threading.Lock()
        self.why: Why | None = None
        self.error: Exception | None = None
        self._looked = float("-inf")

    def stop(self, why: Why, error: Exception | None = None) -> None:
        """Stop the worker; the first reason counts."""
        with self._lock:
            if self.why is None:
                self.why, self.error = why, error

    def reached(self) -> bool:
        """Whether to stop; asks the store for a cancellation unless that was done just now."""
        if time.monotonic() >= self._end:
            self.stop(Why.LATE)
        if self.why is None and time.monotonic() - self._looked > LOOK_SECONDS:
            self.saw(self._store.cancel_requested(self._run_id))
        return self.why is not None

    def saw(self, cancelled: bool) -> None:
        """Take note of what the store says of a cancellation."""
        self._looked = time.monotonic()
        if cancelled:
            self.stop(Why.CANCELLED)


class Heartbeat:
    """Holds a run for one worker while the body runs, beating in a thread so that no long computation silences it."""

    def __init__(self, store: Store, run_id: str, worker: str, halt: Halt):
        self._store, self._run_id, self._worker, self._halt = store, run_id, worker, halt
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._store.claim(self._run_id, os.getpid(), worker=self._worker)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self._store.release(self._run_id, self._worker)

    def _beat(self) -> None:
        while not self._over.wait(BEAT_SECONDS):
            try:
                if not self._store.beat(self._run_id, os.getpid(), worker=self._worker):
                    gone = StoreError(f"run {self._run_id} was taken over by another process, or deleted")
                    self._halt.stop(Why.LOST, gone)
            except StoreError as error:
                self._halt.stop(Why.BROKEN, error)
