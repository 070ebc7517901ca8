"""Runs worked by a child process, so that they survive the page, the browser and the server that started them.

The child is the command line (``python -m lemaj_core work RUN``); it writes to the store and to a log beside it, and
nobody talks to it: a run is cancelled through the store. Keys reach it through its environment only. Nothing here
loads a model library.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import make_url

from lemaj_core import settings
from lemaj_core.errors import StoreError
from lemaj_core.store import liveness, open_store
from lemaj_core.types import RunState

KEYS = "LEMAJ_KEYS"
LOG_BYTES = 16_384  # how much of a log is read to show its end

_children: dict[int, subprocess.Popen[bytes]] = {}


def start(run_id: str, *, store_url: str | None = None, keys: Mapping[str, str] | None = None) -> int:
    """Start a process that works a run, and return its id.

    Parameters
    ----------
    run_id : str
        A run of the store; if it was cancelled, it goes on.
    store_url : str, optional
        The store; by default that of the environment.
    keys : mapping of str to str, optional
        API keys by model. They are neither stored nor logged nor visible in the list of processes.

    Raises
    ------
    StoreError
        If there is no such run, or a live process works on it already.
    """
    _collect()
    url = _absolute(store_url or settings.store_url())
    with open_store(url) as store:
        if store.run(run_id).state is RunState.RUNNING:
            raise StoreError(f"run {run_id} is being worked on already")
        store.clear_cancel(run_id)
        environment = {name: value for name, value in os.environ.items() if name != KEYS}
        environment["LEMAJ_STORE"] = url
        if keys:
            environment[KEYS] = json.dumps(dict(keys))
        path = _log(run_id, url)
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as log:
            child = subprocess.Popen(
                [sys.executable, "-m", "lemaj_core", "work", run_id],
                cwd=settings.ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        _children[child.pid] = child
        # the pages shall see it run before it has loaded its libraries
        if not store.beat(run_id, child.pid):
            child.kill()
            child.wait()
            raise StoreError(f"run {run_id} was started by another process at the same moment")
    return child.pid


def is_alive(pid: int) -> bool:
    """Whether a process that :func:`start` gave the id of still runs."""
    _collect()
    return liveness.alive(pid)


def log_tail(run_id: str, *, store_url: str | None = None, lines: int = 40) -> str:
    """Read the last lines of a run's log; empty when there is none."""
    path = _log(run_id, _absolute(store_url or settings.store_url()))
    try:
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - LOG_BYTES))
            text = log.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def _collect() -> None:
    """Take note of children that ended, so that none stays behind as a zombie."""
    for pid, child in list(_children.items()):
        if child.poll() is not None:
            del _children[pid]


def _absolute(url: str) -> str:
    """Name the file of a SQLite store from the root, because the child has another working folder."""
    parts = make_url(url)
    if parts.get_backend_name() != "sqlite" or not parts.database:
        return url
    return f"sqlite:///{Path(parts.database).resolve()}"


def _log(run_id: str, url: str) -> Path:
    parts = make_url(url)
    beside = Path(parts.database).parent if parts.get_backend_name() == "sqlite" and parts.database else None
    name = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in run_id)
    return (beside or settings.ROOT / ".lemaj") / "logs" / f"{name}.log"
